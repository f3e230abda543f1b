package eval

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/skillhand/skillhand/internal/doc"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/gate"
)

// ErrNoCases means that a skill cannot be tried because it has no cases.
var ErrNoCases = errors.New("no cases")

// maxCases limits the length in bytes of a file of cases.
const maxCases = 16 << 20

// FindCases reads the cases in the evals folder of a skill or a plugin. It accepts evals.json in
// the form of agentskills.io, lists of queries in the form of skill-creator, *.yaml in our own
// form, and folders in the form of claude plugin eval. The error contains all faults. warn, if not
// nil, receives warnings about other documents there, such as results of other tools, and about
// fields that have no meaning here.
func (s *Subject) FindCases(warn func(text string)) (err error) {
	s.Cases, err = findCases(s.Folder, s.Evals(), warn)
	for i := range s.Cases {
		if c := &s.Cases[i]; c.Suite == nil && !c.gitSaid {
			c.Git = s.callsGit()
		}
	}
	return errors.Join(append(s.calledOnly(), err, s.addDone())...)
}

// ReadCases reads files of cases, as the function ReadCases does.
func (s *Subject) ReadCases(files ...string) (err error) {
	s.Cases, err = ReadCases(s.Folder, files...)
	return errors.Join(append(s.calledOnly(), err, s.addDone())...)
}

// addDone adds the checks of the skill's done.yaml to each case in which the skill should fire.
func (s *Subject) addDone() error {
	done, err := gate.ReadDone(s.Folder, CompileCheck)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for i := range s.Cases {
		c := &s.Cases[i]
		if !c.Fires {
			continue
		}
		for _, check := range done.Checks {
			check.Text = gate.DoneFile + ": " + check.Text
			c.Checks = append(c.Checks, Check{Check: check})
		}
	}
	return nil
}

func findCases(folder, dir string, warn func(text string)) ([]Case, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		ext, file := filepath.Ext(e.Name()), filepath.Join(dir, e.Name())
		switch {
		case e.IsDir() || ext != ".json" && ext != ".yaml" && ext != ".yml":
		case e.Name() == find.CaseFile && !find.IsCaseList(file): // a case of claude plugin eval
		case ext == ".json" && e.Name() != "evals.json" && isOther(file):
			if warn != nil {
				warn(file + ": skipped: no evals or queries")
			}
		default:
			files = append(files, file)
		}
	}
	var cases []Case
	var used []string
	if len(files) > 0 {
		if cases, err = ReadCases(folder, files...); err != nil && !errors.Is(err, ErrNoCases) {
			_, more := findSuites(folder, dir, nil, nil)
			return nil, errors.Join(err, more)
		}
	}
	for _, c := range cases {
		used = append(used, c.Files...)
	}
	suites, err := findSuites(folder, dir, used, warn)
	if err != nil {
		return nil, err
	}
	all := slices.Concat(cases, suites)
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: %w", folder, ErrNoCases)
	}
	return all, unique(all)
}

// unique returns an error if two cases have the same id.
func unique(cases []Case) error {
	var faults []error
	seen := map[string]Case{}
	for _, c := range cases {
		if first, twice := seen[c.ID]; twice {
			faults = append(faults, fmt.Errorf("%s:%d: id %s is already used at %s:%d", c.File, c.Line, c.ID, first.File, first.Line))
		}
		seen[c.ID] = c
	}
	return errors.Join(faults...)
}

// isOther reports whether a file is a valid document without cases in any form.
func isOther(file string) bool {
	text, err := readLimited(file)
	if err != nil {
		return false // reading it reports the error
	}
	var keys map[string]json.RawMessage
	if json.Unmarshal(text, &keys) == nil {
		return keys["evals"] == nil && keys["cases"] == nil
	}
	var items []struct {
		Query  any `json:"query"`
		Prompt any `json:"prompt"`
		Should any `json:"should_trigger"`
	}
	if json.Unmarshal(text, &items) != nil {
		return json.Valid(text)
	}
	for _, item := range items {
		if item.Query != nil || item.Prompt != nil || item.Should != nil {
			return false
		}
	}
	return true
}

// ReadCases reads files of cases for the skill in a folder.
func ReadCases(folder string, files ...string) ([]Case, error) {
	var all []Case
	var faults []error
	for _, file := range files {
		text, err := readLimited(file)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		cases, err := ParseCases(file, folder, text)
		faults = append(faults, err)
		all = append(all, cases...)
	}
	faults = append(faults, unique(all))
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: %w", folder, ErrNoCases)
	}
	return all, nil
}

func readLimited(file string) ([]byte, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: is not a file", file)
	case info.Size() > maxCases:
		return nil, fmt.Errorf("%s: %d bytes, want at most %d", file, info.Size(), maxCases)
	}
	return os.ReadFile(file)
}

// ParseCases reads one file of cases in any form. Paths in it are relative to the file's folder or
// to the skill's folder.
func ParseCases(file, folder string, text []byte) ([]Case, error) {
	r := &reader{Reader: newReader(file), folder: folder, stem: strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))}
	root := r.Parse(text)
	if root == nil && r.Failed() == 0 {
		root = &yaml.Node{Kind: yaml.DocumentNode, Line: 1}
	}
	if root != nil {
		r.document(root)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return r.cases, nil
}

// A reader reads one file.
type reader struct {
	gate.Reader
	folder, stem string
	cases        []Case
}

// document recognizes the form by the document's content.
func (r *reader) document(root *yaml.Node) {
	switch root.Kind {
	case yaml.SequenceNode:
		r.items(root, r.query)
		return
	case yaml.MappingNode:
	default:
		r.Fault(root, "want cases, evals or a list of queries")
		return
	}
	fields := r.Given(root, "the document")
	cases, evals := fields["cases"], fields["evals"]
	switch {
	case cases != nil && evals != nil:
		r.Fault(evals, "evals and cases in one file; use one form per file")
	case evals != nil:
		r.items(evals, r.eval)
	case cases != nil:
		r.Given(root, "the document", "cases")
		r.items(cases, r.own)
	default:
		r.Fault(root, "want cases, evals or a list of queries")
	}
}

func (r *reader) items(list *yaml.Node, item func(n *yaml.Node, f doc.Fields, c *Case)) {
	for i, n := range r.List(list, "the list of cases") {
		f := r.Given(n, "a case")
		if f == nil {
			continue
		}
		c := Case{ID: fmt.Sprintf("%s-%d", r.stem, i+1), Fires: true, File: r.File, Line: n.Line}
		if f["query"] != nil && f["prompt"] != nil {
			r.Fault(f["query"], "query and prompt in one case; use one form per file")
			continue
		}
		doc.Set(f, "id", r.id, &c.ID)
		item(n, f, &c)
		r.cases = append(r.cases, c)
	}
}

// query reads an item of skill-creator's list.
func (r *reader) query(n *yaml.Node, f doc.Fields, c *Case) {
	if f["prompt"] != nil {
		r.Fault(f["prompt"], "a prompt in a list of queries; use one form per file")
		return
	}
	r.prompt(n, f["query"], "query", c)
	if f["should_trigger"] == nil {
		r.Fault(n, "should_trigger is missing")
		return
	}
	c.Fires = r.Bool(f["should_trigger"], "should_trigger")
}

// eval reads an item of agentskills.io's evals. It ignores unknown fields, which belong to the
// author.
func (r *reader) eval(n *yaml.Node, f doc.Fields, c *Case) {
	if f["query"] != nil {
		r.Fault(f["query"], "a query among evals; use one form per file")
		return
	}
	r.prompt(n, f["prompt"], "prompt", c)
	doc.Set(f, "files", r.files, &c.Files)
	doc.Set(f, "should_trigger", r.Bool, &c.Fires)
	expects := func(text string) {
		c.Checks = append(c.Checks, Check{Check: gate.Check{Text: "expects: " + text, Judge: "Does this hold: " + text}, Optional: true})
	}
	for _, key := range []string{"expectations", "assertions"} {
		for _, text := range r.texts(f[key], key) {
			expects(text)
		}
	}
	if output := f["expected_output"]; output != nil && len(c.Checks) == 0 && output.Tag == "!!str" {
		expects(output.Value)
	}
}

// own reads an item in our own form.
func (r *reader) own(n *yaml.Node, f doc.Fields, c *Case) {
	if f["query"] != nil {
		r.Fault(f["query"], "a query among cases; use one form per file")
		return
	}
	r.Known(n, "id", "prompt", "fires", "files", "git", "checks")
	r.prompt(n, f["prompt"], "prompt", c)
	doc.Set(f, "fires", r.Bool, &c.Fires)
	doc.Set(f, "files", r.files, &c.Files)
	doc.Set(f, "git", r.Bool, &c.Git)
	c.gitSaid = f["git"] != nil
	if checks := f["checks"]; checks != nil {
		for _, n := range r.List(checks, "checks") {
			c.Checks = append(c.Checks, Check{Check: r.Check(n)})
		}
	}
}

func (r *reader) prompt(n, at *yaml.Node, key string, c *Case) {
	if at == nil {
		r.Fault(n, "%s is missing", key)
		return
	}
	c.Prompt = r.Some(at, key)
}

func (r *reader) id(n *yaml.Node, what string) string {
	if n.Kind != yaml.ScalarNode || strings.TrimSpace(n.Value) == "" {
		r.Want(n, what, "a name or a number")
		return ""
	}
	return n.Value
}

func (r *reader) texts(n *yaml.Node, what string) []string {
	if n == nil {
		return nil
	}
	var all []string
	for _, item := range r.List(n, what) {
		if item.Kind == yaml.MappingNode { // an author's own form, with a text in it or as a whole
			fields := r.Given(item, what)
			text := cmp.Or(fields["text"], fields["description"])
			if text == nil {
				text = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: gate.Flow(item), Line: item.Line}
			}
			item = text
		}
		all = append(all, r.Quoted(item, what))
	}
	return all
}

// files reads one path or a list of paths. It reports paths that cannot be copied together now, not
// in the middle of the trials.
func (r *reader) files(n *yaml.Node, what string) []string {
	named := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		named = r.List(n, what)
	}
	var all []string
	from := map[string]string{} // the path that is copied, by the path of the copy
	for _, n := range named {
		name := r.Quoted(n, what)
		if name == "" {
			r.Fault(n, "%s: want the path of a folder or a file", what)
			continue
		}
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			r.Fault(n, "%s: %s: want a path inside the skill's folder", what, name)
			continue
		}
		found := ""
		for _, dir := range []string{filepath.Dir(r.File), r.folder} {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if _, err := os.Stat(path); err == nil {
				found = path
				break
			}
		}
		if found == "" {
			r.Fault(n, "%s: %s does not exist beside this file or in the skill's folder", what, name)
			continue
		}
		err := walkTree(found, nil, func(e entry) error {
			if e.mode.IsDir() {
				return nil
			}
			if other := from[e.rel]; other != "" {
				return fmt.Errorf("%s and %s would both be %s", other, e.path, e.rel)
			}
			from[e.rel] = e.path
			return nil
		})
		if err != nil {
			r.Fault(n, "%s: %v", what, err)
			continue
		}
		all = append(all, found)
	}
	return all
}
