// Package golden answers one question: does a skill still do what its tests say?
// It asks no model: it renders pages from recordings and runs scripts in a temporary folder.
//
// A test is an archive (txtar) in the tests folder beside the skill. It begins with prose. Then each
// section gives an input or the content that is wanted.
//
//	-- args --            the arguments, as one string; or argv, one per line
//	-- recording.json --  the output of the directives; without it they run
//	-- folder/NAME --     a file in the folder that directives and the script run in
//	-- page --            wanted: the page of the first use
//	-- later --           wanted: the page of a later use
//	-- verdict.json --    wanted: the keys of the script's verdict that matter
//	-- files/NAME --      wanted: a file that the script makes
//
// In pages, variables replace the paths of folders, so that a test passes in every clone.
package golden

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"
	"golang.org/x/tools/txtar"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/render"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/skill"
)

// A Result says whether a test passed.
//
// As JSON it is a line of what skillhand test --json prints: schemas/test-v1.schema.json.
type Result struct {
	Skill      string  `json:"skill"`
	File       string  `json:"file"`
	OK         bool    `json:"ok"`
	Updated    bool    `json:"updated"` // the test file was rewritten
	Checks     []Check `json:"checks"`
	Error      string  `json:"error"` // why the test could not run, or ""
	DurationMS float64 `json:"duration_ms"`
}

// A Check is one comparison of a test.
type Check struct {
	Name string `json:"check"` // the section with the wanted content: page, later, verdict.json, files/NAME
	OK   bool   `json:"ok"`
	Diff string `json:"diff"` // from the wanted content to the actual content
}

// Find lists the tests of the skill at loc.
func Find(loc skill.Location) []string { return files.Glob(loc.Main().Folder, "tests/*.txtar") }

// wanting lists the lines that show that a file of any name is a test.
var wanting = []string{"-- page --", "-- later --", "-- verdict.json --"}

// Unrun lists files that look like tests of the skill but do not run, because of their name or
// because they are in a deeper folder.
func Unrun(loc skill.Location) []string {
	found := files.Glob(loc.Main().Folder, "tests/*/*.txtar")
	for _, file := range files.Glob(loc.Main().Folder, "tests/*") {
		if filepath.Ext(file) == ".txtar" || !files.IsFile(file) {
			continue
		}
		src, err := files.ReadFile(file)
		for line := range strings.Lines(string(src)) {
			if err == nil && slices.Contains(wanting, strings.TrimSpace(line)) {
				found = append(found, file)
				break
			}
		}
	}
	return found
}

// Options say what Run does with a test that fails.
type Options struct {
	Update      bool // rewrite the file so that it wants the actual content
	AllowErrors bool // with Update, also accept a page on which directives failed
}

// Run runs the test in file, for the skill at loc.
func Run(ctx context.Context, rt skillhand.Runtime, loc skill.Location, file string, o Options) Result {
	began := time.Now()
	r := Result{Skill: loc.Name, File: file, Checks: []Check{}}
	if err := r.run(ctx, rt, loc, o); err != nil {
		r.Error = err.Error()
	}
	r.OK = r.Error == "" && !slices.ContainsFunc(r.Checks, func(c Check) bool { return !c.OK })
	r.DurationMS = float64(time.Since(began).Microseconds()) / 1000
	return r
}

func (r *Result) run(ctx context.Context, rt skillhand.Runtime, loc skill.Location, o Options) error {
	text, err := os.ReadFile(r.File)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "skillhand-test-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if scratch, err = filepath.EvalSymlinks(scratch); err != nil {
		return err
	}
	crlf := allCRLF(text)
	if crlf {
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	}
	t, err := newTest(txtar.Parse(text), loc, scratch)
	if err != nil {
		return err
	}
	t.crlf = crlf
	inFile := func(message string) string { return t.inFile(r.File, text, message) }
	if warn := rt.Warn; warn != nil {
		rt.Warn = func(message string) { warn(inFile(message)) }
	}
	rt.NoHistory = true
	rt.Here = here.Here{Dir: t.work, Project: t.work, Home: rt.Home, State: rt.State, PluginRoot: rt.PluginRoot, Env: rt.Env}
	got, err := t.run(ctx, &rt)
	for _, name := range t.wanted {
		if _, there := got[name]; there || err == nil {
			r.Checks = append(r.Checks, t.check(name, got))
		}
	}
	if err != nil {
		return errors.New(inFile(err.Error()))
	}
	if !o.Update || !slices.ContainsFunc(r.Checks, func(c Check) bool { return !c.OK }) {
		return nil
	}
	for _, c := range r.Checks {
		if failed := t.failed[c.Name]; !c.OK && len(failed) > 0 && !o.AllowErrors {
			return fmt.Errorf("not updated: the %s has errors in the test's folder: %s\nto test the page as it is in your "+
				"project, remove this file and run: "+
				"skillhand test --init %s\n--allow-errors keeps the errors", c.Name, term.Flat(strings.Join(failed, "; ")), loc.Name)
		}
	}
	return r.update(t, got)
}

// update rewrites the file so that it wants the actual content. A file that the script did not make
// is still missing afterwards.
func (r *Result) update(t *test, got map[string]string) error {
	t.rewrite(got)
	text := txtar.Format(t.archive)
	if again := txtar.Parse(text); !reflect.DeepEqual(again.Files, t.archive.Files) {
		return errors.New("not updated: the output has a line like -- page --, which would begin a section")
	}
	if t.crlf {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	if err := files.Write(r.File, text, 0o644); err != nil {
		return err
	}
	for i, c := range r.Checks {
		if _, there := got[c.Name]; there && !c.OK {
			r.Checks[i].OK, r.Updated = true, true
		}
	}
	return nil
}

// A test is a parsed archive.
type test struct {
	archive   *txtar.Archive
	skill     string // the real path of the skill's folder
	work      string // the folder it runs in
	sections  map[string]string
	wanted    []string // the sections with wanted content, in order
	args      render.Args
	argv      []string
	recording string // the path of a file, or ""
	crlf      bool
	failed    map[string][]string // by section, the directives that failed, one per line
}

// allCRLF reports whether every line of a file ends with CRLF, as Git may check it out. The test
// then ignores the difference between CRLF and LF.
func allCRLF(text []byte) bool {
	n := bytes.Count(text, []byte("\n"))
	return n > 0 && bytes.Count(text, []byte("\r\n")) == n
}

func (t *test) ends(text string) string {
	if t.crlf {
		return strings.ReplaceAll(text, "\r\n", "\n")
	}
	return text
}

// newTest parses an archive and writes the files of its folder below scratch.
func newTest(a *txtar.Archive, loc skill.Location, scratch string) (*test, error) {
	t := &test{archive: a, skill: files.Real(loc.Folder), work: filepath.Join(scratch, "work"),
		sections: map[string]string{}, failed: map[string][]string{}}
	if err := os.Mkdir(t.work, 0o777); err != nil {
		return nil, err
	}
	var faults []error
	for _, f := range a.Files {
		if _, twice := t.sections[f.Name]; twice {
			faults = append(faults, fmt.Errorf("-- %s --: given twice", f.Name))
		}
		t.sections[f.Name] = string(f.Data)
		below, isFolder := strings.CutPrefix(f.Name, "folder/")
		made, isFile := strings.CutPrefix(f.Name, "files/")
		switch {
		case isFolder:
			faults = append(faults, writeIn(t.work, below, f.Data))
		case isFile && !filepath.IsLocal(made):
			faults = append(faults, fmt.Errorf("-- %s --: is outside the folder", f.Name))
		case isFile, f.Name == "page", f.Name == "later", f.Name == "verdict.json":
			t.wanted = append(t.wanted, f.Name)
		case f.Name == "args":
			t.args = render.ParseArgs(string(f.Data))
			t.argv = t.args.Words
		case f.Name == "argv":
			t.argv = strings.Split(strings.TrimSuffix(string(f.Data), "\n"), "\n")
			t.args = render.JoinArgs(t.argv)
		case f.Name == "recording.json":
			t.recording = filepath.Join(scratch, "recording.json")
			faults = append(faults, os.WriteFile(t.recording, f.Data, 0o600))
		default:
			faults = append(faults, fmt.Errorf(
				"-- %s --: want args, argv, recording.json, folder/…, page, later, verdict.json or files/…", f.Name))
		}
	}
	if want, ok := t.sections["verdict.json"]; ok {
		faults = append(faults, checkVerdict(want))
	}
	if len(t.wanted) == 0 {
		faults = append(faults,
			errors.New("there is nothing to compare: add a section page, later, verdict.json or files/NAME, and fill it with "+
				"skillhand test --update"))
	}
	return t, errors.Join(faults...)
}

// verdictType is the type that a run returns. A test may name only its keys.
var verdictType = reflect.TypeOf((*skillhand.Runtime).Run).Out(0)

// checkVerdict reports errors in a wanted verdict. A key that no verdict has would compare nothing.
// An empty section is valid: --update fills it in.
func checkVerdict(want string) error {
	if strings.TrimSpace(want) == "" {
		return nil
	}
	var doc any
	if err := json.Unmarshal([]byte(want), &doc); err != nil {
		return fmt.Errorf("-- verdict.json --: not JSON: %w", err)
	}
	keys, ok := doc.(map[string]any)
	if !ok {
		return errors.New("-- verdict.json --: not an object")
	}
	if len(keys) == 0 {
		return errors.New("-- verdict.json --: there is nothing to compare: name a key, or leave the section empty and fill " +
			"it with skillhand test --update")
	}
	return unknownKeys("", doc, verdictType)
}

// unknownKeys returns an error for each key of a document that a type does not have.
func unknownKeys(path string, doc any, of reflect.Type) error {
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	var faults []error
	switch of.Kind() {
	case reflect.Slice:
		list, _ := doc.([]any) // anything but a list is a difference anyway
		for _, one := range list {
			faults = append(faults, unknownKeys(path, one, of.Elem()))
		}
	case reflect.Struct:
		known := map[string]reflect.Type{}
		var names []string
		for field := range of.Fields() {
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "-" && name != "" {
				known[name], names = field.Type, append(names, name)
			}
		}
		keys, _ := doc.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if known[key] == nil {
				faults = append(faults, fmt.Errorf("-- verdict.json --: unknown key %s%s: want %s", path, key, strings.Join(names, ", ")))
				continue
			}
			faults = append(faults, unknownKeys(path+key+".", keys[key], known[key]))
		}
	}
	return errors.Join(faults...)
}

func writeIn(dir, name string, data []byte) error {
	if !filepath.IsLocal(name) {
		return fmt.Errorf("-- folder/%s --: is outside the folder", name)
	}
	file := filepath.Join(dir, filepath.FromSlash(name))
	mode := fs.FileMode(0o666)
	if bytes.HasPrefix(data, []byte("#!")) {
		mode = 0o777
	}
	err := os.MkdirAll(filepath.Dir(file), 0o777)
	if err == nil {
		err = os.WriteFile(file, data, mode)
	}
	if err != nil {
		return fmt.Errorf("-- folder/%s --: %w", name, err)
	}
	return nil
}

// inFile replaces the path of the recording in a message with the test's file and line.
func (t *test) inFile(file string, text []byte, message string) string {
	if t.recording == "" {
		return message
	}
	before, _, _ := strings.Cut("\n"+string(text), "\n-- recording.json --")
	marker := strings.Count(before, "\n") + 1
	return regexp.MustCompile(regexp.QuoteMeta(t.recording)+`(:\d+)?`).ReplaceAllStringFunc(message, func(at string) string {
		line, _ := strconv.Atoi(strings.TrimPrefix(at[len(t.recording):], ":")) // 0 means the whole section
		return fmt.Sprintf("%s:%d", file, marker+line)
	})
}

// run renders the pages and runs the script that the test wants. With an error it also returns what
// it has made so far: a page from a recording needs no trust, but the script does.
func (t *test) run(ctx context.Context, rt *skillhand.Runtime) (map[string]string, error) {
	got := map[string]string{}
	script := false
	for _, name := range t.wanted {
		switch name {
		case "page", "later":
			req := skillhand.LoadRequest{Skill: t.skill, Args: t.args, Use: skillhand.Full, Recording: t.recording}
			if name == "later" {
				req.Use = skillhand.Reference
			}
			if t.recording != "" {
				req.Exec = skillhand.Replayed
			}
			page, err := rt.Load(ctx, req)
			if err != nil {
				return got, fmt.Errorf("%s: %w", name, err)
			}
			page.Close()
			if err := refused(rt, page); err != nil {
				return got, fmt.Errorf("%s: %w", name, err)
			}
			got[name], t.failed[name] = t.portable(page.Text), page.Failed()
		default:
			script = true
		}
	}
	if !script {
		return got, nil
	}
	v, err := rt.Run(ctx, skillhand.RunRequest{Script: t.skill, Args: t.argv})
	if err != nil {
		return got, err
	}
	v.DurationMS = 0
	doc, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return got, err
	}
	got["verdict.json"] = t.portable(string(doc))
	for _, name := range t.wanted {
		if made, ok := strings.CutPrefix(name, "files/"); ok {
			text, err := os.ReadFile(filepath.Join(t.work, filepath.FromSlash(made)))
			switch {
			case errors.Is(err, fs.ErrNotExist): // check reports it
			case err != nil:
				return got, err
			default:
				got[name] = string(text)
			}
		}
	}
	return got, nil
}

// refused returns why commands of a page did not run although the page needs them. Such a page says
// nothing about the skill.
func refused(rt *skillhand.Runtime, page *skillhand.Page) error {
	if page.Withheld == "" {
		return nil
	}
	return rt.Policy(rt.Here).Now().May(page.File)
}

// portable replaces the paths of folders in a text with the variables that stand for them.
func (t *test) portable(text string) string {
	return strings.NewReplacer(t.skill, "${CLAUDE_SKILL_DIR}", t.work, "${CLAUDE_PROJECT_DIR}").Replace(text)
}

// check compares a wanted section with the actual content. Sections of an archive end with a
// newline, so it adds a missing newline to both.
func (t *test) check(name string, got map[string]string) Check {
	if _, there := got[name]; !there {
		return Check{Name: name, Diff: strings.TrimPrefix(name, "files/") + " was not created"}
	}
	want, is := line(t.sections[name]), line(t.ends(got[name]))
	if name == "verdict.json" {
		if want == "" {
			return Check{Name: name, Diff: "-- verdict.json --: empty: fill it with skillhand test --update"}
		}
		var err error
		if want, is, err = project(want, is); err != nil {
			return Check{Name: name, Diff: err.Error()}
		}
	}
	if want == is {
		return Check{Name: name, OK: true}
	}
	return Check{Name: name, Diff: string(diff.Diff("want/"+name, []byte(want), "got/"+name, []byte(is)))}
}

// rewrite puts the actual content into the archive.
func (t *test) rewrite(got map[string]string) {
	for i := range t.archive.Files {
		f := &t.archive.Files[i]
		text, ok := got[f.Name]
		if !ok {
			continue
		}
		if f.Name == "verdict.json" && strings.TrimSpace(string(f.Data)) != "" {
			if _, part, err := project(string(f.Data), text); err == nil {
				text = part
			}
		}
		f.Data = []byte(line(t.ends(text)))
	}
}

func line(text string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// project formats both documents in the same way. It reduces the objects of got to the keys in
// want, because other keys do not matter.
func project(want, got string) (wanted, part string, err error) {
	var w, g any
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		return "", "", fmt.Errorf("the section is not JSON: %w", err)
	}
	if err := json.Unmarshal([]byte(got), &g); err != nil {
		return "", "", err
	}
	wanted, err = document(w)
	if err == nil {
		part, err = document(narrow(w, g))
	}
	return wanted, part, err
}

func document(v any) (string, error) {
	doc, err := json.MarshalIndent(v, "", "  ")
	return line(string(doc)), err
}

func narrow(want, got any) any {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return got
		}
		part := map[string]any{}
		for key, value := range w {
			if v, ok := g[key]; ok {
				part[key] = narrow(value, v)
			}
		}
		return part
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return got
		}
		part := make([]any, len(g))
		for i := range g {
			part[i] = narrow(w[i], g[i])
		}
		return part
	}
	return got
}
