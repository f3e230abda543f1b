package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/skillhand/skillhand/internal/doc"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/words"
)

// A Suite says how to run a case of claude plugin eval. Its paths are absolute.
type Suite struct {
	Dir            string // the case's folder, in the folder with the evals
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
	AddDirs        []string // more folders that the agent may read
	Plugins        []string // more plugins, in every arm
}

// paths returns the files and folders that a case needs.
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

// clone returns a copy of the case with its own paths.
func (c Case) clone() Case {
	text, err := json.Marshal(c)
	var copied Case
	if err == nil {
		err = json.Unmarshal(text, &copied)
	}
	if err != nil {
		panic(err) // cannot happen: a case is plain data
	}
	return copied
}

// The defaults of claude plugin eval.
const (
	suiteRuns    = 3
	suiteTurns   = 10
	suiteTimeout = 300
)

// findSuites reads the cases of claude plugin eval at any depth below dir. root is the folder that
// the evals belong to. It skips folders that other cases use.
func findSuites(root, dir string, used []string, warn func(string)) ([]Case, error) {
	var all []Case
	var faults []error
	odd := map[string]bool{}
	err := find.WalkCases(dir, used, func(dir string) []string {
		c, err := readSuite(root, dir, odd)
		if err != nil {
			faults = append(faults, err)
			return nil
		}
		all = append(all, c)
		return slices.Concat(c.Suite.AddDirs, c.Suite.Plugins)
	})
	if warn != nil {
		for _, text := range slices.Sorted(maps.Keys(odd)) {
			warn(text)
		}
	}
	return all, errors.Join(append(faults, err)...)
}

// A suiteReader reads the case in one folder.
type suiteReader struct {
	in       reader
	dir      string
	c        Case
	names    map[string]bool // the names of graders
	odd      map[string]bool // fields without a meaning here; each is reported once
	bodyLine int
	unread   error // why files could not be read
}

// readSuite reads the case in a folder: prompt.md, case.yaml and graders/*.md, or some of them.
func readSuite(root, dir string, odd map[string]bool) (Case, error) {
	r := &suiteReader{in: reader{Reader: newReader("")}, dir: dir, names: map[string]bool{}, odd: odd}
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return Case{}, err
	}
	r.c = Case{ID: filepath.Base(dir), Fires: true, Open: true, Git: true, Suite: &Suite{
		Dir: filepath.ToSlash(rel), Runs: suiteRuns, MaxTurns: suiteTurns, TimeoutSeconds: suiteTimeout,
	}}
	yamlFile, promptFile := filepath.Join(dir, find.CaseFile), filepath.Join(dir, find.PromptFile)
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
	for _, file := range find.Graders(dir) {
		r.open(file, r.graderFile)
	}
	r.in.File = r.c.File
	if r.in.File == "" {
		r.in.File = filepath.Join(dir, "graders")
		r.in.Fault(&yaml.Node{}, "graders without a prompt: want prompt.md or case.yaml in %s", dir)
	} else if len(r.c.Checks) == 0 && r.in.Failed() == 0 && r.unread == nil {
		r.in.Fault(&yaml.Node{Line: 1}, "a case without graders, want at least one")
	}
	r.fires()
	return r.c, errors.Join(r.unread, r.in.Err())
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// open reads a file and passes its frontmatter to read, or the whole document if the file is not
// Markdown.
func (r *suiteReader) open(file string, read func(front *yaml.Node, body string)) {
	r.in.File, r.in.folder = file, r.dir
	text, err := readLimited(file)
	if err != nil {
		r.unread = errors.Join(r.unread, err)
		return
	}
	fields, body, line := find.SplitCase(file, text)
	r.bodyLine = line
	if fields == nil {
		read(nil, body)
		return
	}
	before := r.in.Failed()
	root := r.in.Parse(fields)
	if r.in.Failed() > before {
		return
	}
	if root == nil {
		root = &yaml.Node{Kind: yaml.MappingNode, Line: 1}
	}
	read(root, body)
}

func (r *suiteReader) caseFile(root *yaml.Node, _ string) {
	r.c.File, r.c.Line = r.in.File, 1
	f := r.in.Given(root, find.CaseFile, find.CaseKeys...)
	if f == nil {
		return
	}
	if f["schema_version"] == nil {
		r.in.Fault(root, "schema_version is missing")
	}
	if f["name"] == nil {
		r.in.Fault(root, "name is missing")
	}
	var execution doc.Fields
	if n := f["execution"]; n != nil {
		execution = r.in.Given(n, "execution", find.ExecutionKeys...)
	}
	if n := execution["prompt"]; n != nil {
		r.c.Prompt = r.in.Some(n, "prompt")
	} else if !exists(filepath.Join(r.dir, find.PromptFile)) {
		r.in.Fault(root, "execution.prompt is missing")
	}
	r.settings(f)
	r.settings(execution)
	if n := f["context"]; n != nil {
		r.context(n)
	}
	if n := f["graders"]; n != nil {
		for _, item := range r.in.List(n, "graders") {
			r.grader(item, "", "")
		}
	}
}

func (r *suiteReader) promptFile(front *yaml.Node, body string) {
	r.c.File, r.c.Line = r.in.File, 1
	if front != nil {
		r.settings(r.in.Given(front, find.PromptFile, find.PromptKeys...))
	}
	if r.c.Prompt = body; body == "" {
		r.in.Fault(&yaml.Node{Line: 1}, "the prompt is empty")
	}
}

// settings reads the fields that both files may have.
func (r *suiteReader) settings(f doc.Fields) {
	s := r.c.Suite
	if n := f["schema_version"]; n != nil {
		r.version(n)
	}
	doc.Set(f, "name", r.in.Some, &r.c.ID)
	doc.Set(f, "description", r.in.Quoted, &s.Description)
	doc.Set(f, "expected_outcome", r.in.Quoted, new(string)) // only for people
	s.Tags = append(s.Tags, r.in.texts(f["tags"], "tags")...)
	s.Plugins = append(s.Plugins, r.beside(f["plugins"], "plugins", true)...)
	doc.Set(f, "runs", r.in.Whole(1, 50), &s.Runs)
	doc.Set(f, "max_turns", r.in.Whole(1, 200), &s.MaxTurns)
	doc.Set(f, "timeout_seconds", r.in.Whole(1, 3600), &s.TimeoutSeconds)
	doc.Set(f, "model", r.in.Some, &s.Model)
	doc.Set(f, "append_system_prompt", r.in.Quoted, &s.AppendSystem)
	doc.Set(f, "allowed_tools", r.in.texts, &s.Allowed)
	if n := f["disallowed_tools"]; n != nil {
		s.Disallowed = r.in.texts(n, "disallowed_tools")
		for _, tool := range s.Disallowed {
			if !plainTool.Get().MatchString(tool) {
				r.in.Fault(n, "disallowed_tools: %s: want the name of a tool, without a pattern", tool)
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
	plainTool = words.Regexp(`^[A-Za-z][A-Za-z0-9_]*$`)
	evalName  = words.Regexp(`^EVAL_[A-Za-z0-9_]*$`)
)

func (r *suiteReader) version(n *yaml.Node) {
	version := r.in.Quoted(n, "schema_version")
	major, err := strconv.Atoi(strings.SplitN(version, ".", 2)[0])
	if n.Tag == "!!str" && (err != nil || major != 1) {
		r.in.Fault(n, "schema_version %s: want 1.0 or 1.1", version)
	}
}

func (r *suiteReader) variables(n *yaml.Node) {
	if n == nil {
		return
	}
	r.c.Suite.Env = map[string]string{}
	f := r.in.Fields(n, "env")
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if !evalName.Get().MatchString(name) {
			r.in.Fault(f[name], "env: %s: want a name that begins with EVAL_", name)
		}
		r.c.Suite.Env[name] = r.in.Text(f[name], name)
	}
}

func (r *suiteReader) context(n *yaml.Node) {
	f := r.in.Given(n, "context", find.ContextKeys...)
	r.c.Suite.Scaffold = r.fileBeside(f, "scaffold_script")
	r.c.Suite.History = r.jsonLines(f, "history_file")
	r.c.Suite.AddDirs = r.beside(f["add_dirs"], "add_dirs", true)
}

// fileBeside returns the path of a file relative to the case's folder, or "".
func (r *suiteReader) fileBeside(f doc.Fields, what string) string {
	if found := r.beside(f[what], what, false); len(found) == 1 {
		return found[0]
	}
	return ""
}

// beside reads one path or a list of paths of folders or files, relative to the case's folder.
func (r *suiteReader) beside(n *yaml.Node, what string, folder bool) []string {
	if n == nil {
		return nil
	}
	named := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		named = r.in.List(n, what)
	}
	var all []string
	for _, n := range named {
		name := r.in.Some(n, what)
		path := filepath.Join(r.dir, filepath.FromSlash(name))
		info, err := os.Stat(path)
		switch {
		case name == "":
		case filepath.IsAbs(name):
			r.in.Fault(n, "%s: %s: want a path that starts at the case's folder", what, name)
		case err != nil:
			r.in.Fault(n, "%s: %s does not exist", what, name)
		case info.IsDir() != folder:
			r.in.Fault(n, "%s: %s: want a %s", what, name, map[bool]string{true: "folder", false: "file"}[folder])
		default:
			all = append(all, path)
		}
	}
	return all
}

// jsonLines returns the path of a file of JSON lines, or "".
func (r *suiteReader) jsonLines(f doc.Fields, what string) string {
	file, n := r.fileBeside(f, what), f[what]
	if file == "" {
		return ""
	}
	text, err := readLimited(file)
	if err != nil {
		r.in.Fault(n, "%s: %v", what, err)
		return file
	}
	line, some := 0, false
	for part := range bytes.Lines(text) {
		line++
		if part = bytes.TrimSpace(part); len(part) == 0 {
			continue
		}
		if some = true; !json.Valid(part) || part[0] != '{' {
			r.in.Fault(n, "%s: %s:%d: no JSON object", what, file, line)
			return file
		}
	}
	if !some {
		r.in.Fault(n, "%s: %s is empty", what, file)
	}
	return file
}

// fires sets whether the skill should fire, and which call counts, from the first grader of the
// Skill tool.
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

func (c *Case) about(names Names) Names {
	if c.About == "" {
		return names
	}
	re, err := Compile(c.About, "")
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
