package try

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/skillhand/skillhand/internal/jsregexp"
	"github.com/skillhand/skillhand/internal/paths"
)

// A Suite is how a case of claude plugin eval wants to be run. Its paths are absolute.
type Suite struct {
	Dir            string // of the case, in the folder that has the evals
	Source         string // prose, case_yaml or mixed
	Description    string
	Tags           []string
	Runs           int
	MaxTurns       int
	TimeoutSeconds int
	Model          string
	AppendSystem   string
	Allowed        []string
	Disallowed     []string
	Env            map[string]string
	Scaffold       string   // a script that fills the folder, run only if the user says so
	History        string   // a session that the prompt continues
	AddDirs        []string // further folders that the agent may read
	Plugins        []string // further plugins, in every arm
}

// paths are the files and folders that a case needs.
func (c *Case) paths() []*string {
	var all []*string
	for i := range c.Files {
		all = append(all, &c.Files[i])
	}
	if s := c.Suite; s != nil {
		for _, list := range [][]string{s.AddDirs, s.Plugins} {
			for i := range list {
				all = append(all, &list[i])
			}
		}
		all = append(all, &s.Scaffold, &s.History)
	}
	for _, check := range c.Checks {
		if check.Grader != nil {
			all = append(all, &check.Grader.BaselineFile)
		}
	}
	return slices.DeleteFunc(all, func(p *string) bool { return *p == "" })
}

// clone is a case whose paths may be changed.
func (c Case) clone() Case {
	text, err := json.Marshal(c)
	var copied Case
	if err == nil {
		err = json.Unmarshal(text, &copied)
	}
	if err != nil {
		panic(err) // a case is plain data
	}
	return copied
}

// The keys of the files, and the defaults that claude plugin eval has.
var (
	promptKeys = strings.Fields(`schema_version name description tags plugins runs expected_outcome model max_turns timeout_seconds
		allowed_tools disallowed_tools artifact_publish growthbook_overrides append_system_prompt env`)
	caseKeys      = strings.Fields("schema_version name description expected_outcome tags plugins runs context execution graders")
	contextKeys   = strings.Fields("scaffold_script history_file add_dirs")
	executionKeys = strings.Fields(`prompt max_turns timeout_seconds model append_system_prompt allowed_tools disallowed_tools env
		artifact_publish growthbook_overrides`)
)

const (
	suiteRuns    = 3
	suiteTurns   = 10
	suiteTimeout = 300
)

// isSuite reports whether a folder has a file of a case of claude plugin eval.
func isSuite(dir string) bool {
	for _, name := range []string{"case.yaml", "prompt.md"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() && !(name == "case.yaml" && isOwn(filepath.Join(dir, name))) {
			return true
		}
	}
	return len(paths.Glob(dir, "graders/*.md")) > 0
}

// isOwn reports whether a file is a list of cases in our form.
func isOwn(file string) bool {
	text, err := readLimited(file)
	var doc map[string]any
	return err == nil && yaml.Unmarshal(text, &doc) == nil && doc["cases"] != nil
}

// findSuites reads the cases of claude plugin eval at any depth below a folder. root is what the
// evals belong to. Folders that other cases use are none of them.
func findSuites(root, dir string, used []string, warn func(string)) ([]Case, error) {
	var all []Case
	var faults []error
	odd := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == dir && errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !d.IsDir():
			return nil
		case slices.Contains(used, path), filepath.Dir(path) == dir && (d.Name() == "results" || d.Name() == "mocks"):
			return fs.SkipDir
		case !isSuite(path):
			return nil
		}
		c, err := readSuite(root, path, odd)
		if err != nil {
			faults = append(faults, err)
		} else {
			used = append(used, c.Suite.AddDirs...)
			used = append(used, c.Suite.Plugins...)
			all = append(all, c)
		}
		if !isSuite(filepath.Join(path, "graders")) {
			used = append(used, filepath.Join(path, "graders"))
		}
		return nil
	})
	if warn != nil {
		for _, text := range slices.Sorted(maps.Keys(odd)) {
			warn(text)
		}
	}
	return all, errors.Join(append(faults, err)...)
}

// A suiteReader reads one folder.
type suiteReader struct {
	in       reader
	dir      string
	c        Case
	names    map[string]bool // of graders
	odd      map[string]bool // what has no meaning here, said once
	bodyLine int
}

// readSuite reads the case in a folder: prompt.md, case.yaml and graders/*.md, or some of them.
func readSuite(root, dir string, odd map[string]bool) (Case, error) {
	r := &suiteReader{dir: dir, names: map[string]bool{}, odd: odd}
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return Case{}, err
	}
	r.c = Case{ID: filepath.Base(dir), Fires: true, Open: true, Git: true, Suite: &Suite{
		Dir: filepath.ToSlash(rel), Runs: suiteRuns, MaxTurns: suiteTurns, TimeoutSeconds: suiteTimeout,
	}}
	yamlFile, promptFile := filepath.Join(dir, "case.yaml"), filepath.Join(dir, "prompt.md")
	hasYAML, hasPrompt := exists(yamlFile), exists(promptFile)
	switch {
	case hasYAML && hasPrompt:
		r.c.Suite.Source = "mixed"
	case hasYAML:
		r.c.Suite.Source = "case_yaml"
	default:
		r.c.Suite.Source = "prose"
	}
	if hasYAML {
		r.open(yamlFile, r.caseFile)
	}
	if hasPrompt {
		r.open(promptFile, r.promptFile)
	}
	for _, file := range paths.Glob(dir, "graders/*.md") {
		r.open(file, r.graderFile)
	}
	r.in.file = r.c.File
	if r.in.file == "" {
		r.in.file = filepath.Join(dir, "graders")
		r.in.fault(&yaml.Node{}, "graders without a prompt: want prompt.md or case.yaml in %s", dir)
	} else if len(r.c.Checks) == 0 && len(r.in.faults) == 0 {
		r.in.fault(&yaml.Node{Line: 1}, "a case without graders, want at least one")
	}
	r.fires()
	return r.c, errors.Join(r.in.faults...)
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// open reads a file with a function that is given its frontmatter, or all of it if it is no Markdown.
func (r *suiteReader) open(file string, read func(front *yaml.Node, body string)) {
	r.in.file, r.in.folder = file, r.dir
	text, err := readLimited(file)
	if err != nil {
		r.in.faults = append(r.in.faults, err)
		return
	}
	text = bytes.ReplaceAll(bytes.TrimPrefix(text, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	body := ""
	if filepath.Ext(file) == ".md" {
		var front []byte
		front, body = splitFront(text)
		r.bodyLine = 1 + bytes.Count(text[:max(bytes.Index(text, []byte(body)), 0)], []byte("\n"))
		if front == nil {
			read(nil, body)
			return
		}
		text = append([]byte("\n"), front...) // so that lines are those of the file
	}
	root, err := r.in.parse(text)
	if err != nil {
		r.in.faults = append(r.in.faults, err)
		return
	}
	if root.Kind == yaml.DocumentNode { // of an empty text
		root = &yaml.Node{Kind: yaml.MappingNode, Line: 1}
	}
	if root.Kind != yaml.MappingNode {
		r.in.fault(root, "want fields")
		return
	}
	read(root, body)
}

// splitFront splits Markdown into its frontmatter, nil if it has none, and the rest.
func splitFront(text []byte) (front []byte, body string) {
	rest, ok := bytes.CutPrefix(text, []byte("---\n"))
	if !ok {
		return nil, strings.TrimSpace(string(text))
	}
	if after, empty := bytes.CutPrefix(rest, []byte("---\n")); empty {
		return []byte{}, strings.TrimSpace(string(after))
	}
	front, after, ok := bytes.Cut(rest, []byte("\n---\n"))
	if !ok {
		if front, ok = bytes.CutSuffix(rest, []byte("\n---")); !ok {
			return nil, strings.TrimSpace(string(text))
		}
	}
	return append(front, '\n'), strings.TrimSpace(string(after))
}

func (r *suiteReader) caseFile(root *yaml.Node, _ string) {
	r.c.File, r.c.Line = r.in.file, 1
	f := r.in.fields(root)
	r.in.only(root, caseKeys...)
	if f["schema_version"] == nil {
		r.in.fault(root, "schema_version is missing")
	}
	if f["name"] == nil {
		r.in.fault(root, "name is missing")
	}
	execution := map[string]*yaml.Node{}
	if n := f["execution"]; n != nil {
		if n.Kind != yaml.MappingNode {
			r.in.fault(n, "execution: want fields")
		} else {
			execution = r.in.fields(n)
			r.in.only(n, executionKeys...)
		}
	}
	if n := execution["prompt"]; n != nil {
		r.c.Prompt = r.in.some(n, "prompt")
	} else if !exists(filepath.Join(r.dir, "prompt.md")) {
		r.in.fault(root, "execution.prompt is missing")
	}
	r.settings(f)
	r.settings(execution)
	if n := f["context"]; n != nil {
		r.context(n)
	}
	if n := f["graders"]; n != nil {
		if n.Kind != yaml.SequenceNode {
			r.in.fault(n, "graders: want a list")
			return
		}
		for _, item := range content(n) {
			if item.Kind != yaml.MappingNode {
				r.in.fault(item, "a grader: want fields, such as type: regex")
				continue
			}
			r.grader(item, "", "")
		}
	}
}

func (r *suiteReader) promptFile(front *yaml.Node, body string) {
	r.c.File, r.c.Line = r.in.file, 1
	if front != nil {
		f := r.in.fields(front)
		r.in.only(front, promptKeys...)
		r.settings(f)
	}
	if r.c.Prompt = body; body == "" {
		r.in.fault(&yaml.Node{Line: 1}, "the prompt is empty")
	}
}

// settings are the fields that both files have.
func (r *suiteReader) settings(f map[string]*yaml.Node) {
	s := r.c.Suite
	if n := f["schema_version"]; n != nil {
		r.version(n)
	}
	set(r.in.some, f, "name", &r.c.ID)
	set(r.in.text, f, "description", &s.Description)
	set(r.in.text, f, "expected_outcome", new(string)) // people read it
	s.Tags = append(s.Tags, r.in.texts(f["tags"], "tags")...)
	s.Plugins = append(s.Plugins, r.beside(f["plugins"], "plugins", true)...)
	s.Runs = r.number(f["runs"], "runs", 1, 50, s.Runs)
	s.MaxTurns = r.number(f["max_turns"], "max_turns", 1, 200, s.MaxTurns)
	s.TimeoutSeconds = r.number(f["timeout_seconds"], "timeout_seconds", 1, 3600, s.TimeoutSeconds)
	set(r.in.some, f, "model", &s.Model)
	set(r.in.text, f, "append_system_prompt", &s.AppendSystem)
	set(r.in.texts, f, "allowed_tools", &s.Allowed)
	if n := f["disallowed_tools"]; n != nil {
		s.Disallowed = r.in.texts(n, "disallowed_tools")
		for _, tool := range s.Disallowed {
			if !plainTool.MatchString(tool) {
				r.in.fault(n, "disallowed_tools: %s: want the name of a tool, without a pattern", tool)
			}
		}
	}
	r.variables(f["env"])
	for _, key := range []string{"artifact_publish", "growthbook_overrides"} {
		if f[key] != nil {
			r.odd["suites of claude plugin eval: "+key+" has no meaning here"] = true
		}
	}
}

var (
	plainTool = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)
	evalName  = regexp.MustCompile(`^EVAL_[A-Za-z0-9_]*$`)
)

func (r *suiteReader) version(n *yaml.Node) {
	version := r.in.text(n, "schema_version")
	major, err := strconv.Atoi(strings.SplitN(version, ".", 2)[0])
	if n.Tag == "!!str" && (err != nil || major != 1) {
		r.in.fault(n, "schema_version %s: want 1.0 or 1.1", version)
	}
}

func (r *suiteReader) variables(n *yaml.Node) {
	if n == nil {
		return
	}
	if n.Kind != yaml.MappingNode {
		r.in.fault(n, "env: want names and values")
		return
	}
	r.c.Suite.Env = map[string]string{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case !evalName.MatchString(key.Value):
			r.in.fault(key, "env: %s: want a name that begins with EVAL_", key.Value)
		case value.Kind != yaml.ScalarNode:
			r.in.fault(value, "env: %s: want a text", key.Value)
		default:
			r.c.Suite.Env[key.Value] = value.Value
		}
	}
}

func (r *suiteReader) number(n *yaml.Node, what string, low, high, unsaid int) int {
	if n == nil {
		return unsaid
	}
	v, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || v < low || v > high {
		r.in.fault(n, "%s: want a number from %d to %d", what, low, high)
	}
	return v
}

func (r *suiteReader) context(n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		r.in.fault(n, "context: want fields")
		return
	}
	f := r.in.fields(n)
	r.in.only(n, contextKeys...)
	r.c.Suite.Scaffold = r.fileBeside(f, "scaffold_script")
	r.c.Suite.History = r.jsonLines(f, "history_file")
	r.c.Suite.AddDirs = r.beside(f["add_dirs"], "add_dirs", true)
}

// fileBeside is the path of one file that starts at the case's folder, or "".
func (r *suiteReader) fileBeside(f map[string]*yaml.Node, what string) string {
	if found := r.beside(f[what], what, false); len(found) == 1 {
		return found[0]
	}
	return ""
}

// beside are paths, one or a list, that start at the case's folder: of folders, or of files.
func (r *suiteReader) beside(n *yaml.Node, what string, folder bool) []string {
	if n == nil {
		return nil
	}
	named := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		named = content(n)
	}
	var all []string
	for _, n := range named {
		name := r.in.some(n, what)
		path := filepath.Join(r.dir, filepath.FromSlash(name))
		info, err := os.Stat(path)
		switch {
		case name == "":
		case filepath.IsAbs(name):
			r.in.fault(n, "%s: %s: want a path that starts at the case's folder", what, name)
		case err != nil:
			r.in.fault(n, "%s: %s is not there", what, name)
		case info.IsDir() != folder:
			r.in.fault(n, "%s: %s: want a %s", what, name, map[bool]string{true: "folder", false: "file"}[folder])
		default:
			all = append(all, path)
		}
	}
	return all
}

// jsonLines is the path of a file of JSON lines, or "".
func (r *suiteReader) jsonLines(f map[string]*yaml.Node, what string) string {
	file, n := r.fileBeside(f, what), f[what]
	if file == "" {
		return ""
	}
	text, err := readLimited(file)
	if err != nil {
		r.in.fault(n, "%s: %v", what, err)
		return file
	}
	line, some := 0, false
	for part := range bytes.Lines(text) {
		line++
		if part = bytes.TrimSpace(part); len(part) == 0 {
			continue
		}
		if some = true; !json.Valid(part) || part[0] != '{' {
			r.in.fault(n, "%s: %s:%d: no JSON object", what, file, line)
			return file
		}
	}
	if !some {
		r.in.fault(n, "%s: %s is empty", what, file)
	}
	return file
}

// fires says what a grader of the Skill tool says about firing: which skill should, or none.
func (r *suiteReader) fires() {
	for _, check := range r.c.Checks {
		g := check.Grader
		if g.Type != toolUsed || g.Tool.Tool != "Skill" {
			continue
		}
		r.c.Open, r.c.Fires, r.c.About = false, g.Max == nil || *g.Max > 0, g.Tool.InputMatch
		return
	}
}

// about are those of some names that a case is about.
func (c *Case) about(names Names) Names {
	if c.About == "" {
		return names
	}
	re, err := jsregexp.Compile(c.About, "")
	if err != nil {
		return names
	}
	some := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, ok, err := re.Find(fmt.Sprintf(`{"skill":%q}`, name))
		return err != nil || !ok
	})
	if len(some) == 0 {
		return names
	}
	return some
}
