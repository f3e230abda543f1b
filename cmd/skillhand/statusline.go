package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/history"
	"github.com/skillhand/skillhand/internal/atomicfile"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/session"
	"github.com/skillhand/skillhand/shell"
	"github.com/skillhand/skillhand/skill"
)

func newStatusline(std *stdio) *cobra.Command {
	var install, force, user bool
	cmd := &cobra.Command{
		Use:   "statusline",
		Short: "Print Claude Code's status line, or install it",
		Long: `Print one line for the foot of Claude Code: model, folder, how full the context is,
cost, loaded skills and the last runs. Claude Code tells it the rest as JSON on
stdin. It never fails: what is not known is left out.

With --install, put it into .claude/settings.json of this project, or with --user
into your own settings. Everything else in the file stays as it is, byte for byte.
Another status line is replaced only with --force.`,
		Example: `  skillhand statusline --install
  skillhand statusline --install --user
  echo '{"model":{"display_name":"Opus"}}' | skillhand statusline`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			if !install {
				if force || user {
					return cli.Usagef("--force and --user go with --install")
				}
				return std.Print(statusline(std) + "\n")
			}
			return runInstall(std, force, user)
		},
	}
	cmd.Flags().BoolVar(&install, "install", false, "put it into .claude/settings.json")
	cmd.Flags().BoolVar(&force, "force", false, "replace another status line")
	cmd.Flags().BoolVar(&user, "user", false, "install it for all projects of yours")
	return cmd
}

// A lineInput is what Claude Code tells a status line, as far as it matters here.
type lineInput struct {
	Session string `json:"session_id"`
	Cwd     string `json:"cwd"`
	Model   struct {
		Name string `json:"display_name"`
		ID   string `json:"id"`
	} `json:"model"`
	Workspace struct {
		Dir string `json:"current_dir"`
	} `json:"workspace"`
	Cost struct {
		USD float64 `json:"total_cost_usd"`
	} `json:"cost"`
	Context struct {
		Used *float64 `json:"used_percentage"`
	} `json:"context_window"`
}

const (
	maxLineInput = 4 << 20     // how much of the input is read
	maxLineWait  = time.Second // for the input
	maxLine      = 300         // columns, where it is not known how many there are
)

// statusline makes the line. Whatever goes wrong, it has something to say.
func statusline(std *stdio) (line string) {
	defer func() {
		if recover() != nil {
			line = "skillhand"
		}
	}()
	in := readLineInput(std.In)
	parts := in.parts()
	dir := in.dir()
	if dir != "" {
		parts = append(parts, lineRuns(std.Env, dir)...)
	}
	if n := lineSkills(std.Env, in.Session); n > 0 {
		parts = append(parts, term.Plural(n, "skill"))
	}
	if len(parts) == 0 {
		parts = []string{"skillhand"}
	}
	return term.Fit(term.Flat(strings.Join(parts, " · ")), term.Columns(nil, std.Getenv("COLUMNS"), maxLine))
}

// readLineInput reads what there is to read, and does not wait for more than
// the first value: nobody has to close stdin, or to write to it.
func readLineInput(stdin io.Reader) lineInput {
	if term.IsTerminal(stdin) {
		return lineInput{}
	}
	read := make(chan lineInput, 1)
	go func() {
		var in lineInput
		// A field of another type than today's leaves the others as they are.
		_ = json.NewDecoder(io.LimitReader(stdin, maxLineInput)).Decode(&in)
		read <- in
	}()
	select {
	case in := <-read:
		return in
	case <-time.After(maxLineWait):
		return lineInput{}
	}
}

// parts are what the input alone says.
func (in *lineInput) parts() []string {
	var parts []string
	model := in.Model.Name
	if model == "" {
		model = in.Model.ID
	}
	if model != "" {
		parts = append(parts, model)
	}
	if dir := in.dir(); dir != "" {
		parts = append(parts, filepath.Base(dir))
	}
	if used := in.Context.Used; used != nil {
		parts = append(parts, fmt.Sprintf("%.0f%% context", min(max(*used, 0), 100)))
	}
	if in.Cost.USD > 0 {
		parts = append(parts, fmt.Sprintf("$%.2f", in.Cost.USD))
	}
	return parts
}

func (in *lineInput) dir() string {
	if in.Workspace.Dir != "" {
		return in.Workspace.Dir
	}
	return in.Cwd
}

// lineRuns says how the last runs in a folder's project went. Only the latest
// lines of the history are looked at: a status line is drawn all the time.
func lineRuns(env []string, dir string) []string {
	found, err := skillhand.History(env).Read(history.Query{Project: skillhand.Project(dir), Since: time.Now().Add(-24 * time.Hour), Last: 10, Within: 1000})
	if err != nil || len(found.Records) == 0 {
		return nil
	}
	ok := 0
	for _, r := range found.Records {
		if r.OK {
			ok++
		}
	}
	last := found.Records[len(found.Records)-1]
	text := "✓ " + last.Name()
	if !last.OK {
		text = strings.TrimSpace("✗ " + last.Name() + " " + last.Category)
	}
	return []string{text, fmt.Sprintf("%d/%d ok", ok, len(found.Records))}
}

func lineSkills(env []string, id string) int {
	store := session.Store{Dir: filepath.Join(skillhand.StateDir(env), "sessions")}
	marks, err := store.Marks(session.ID{Session: id})
	if err != nil {
		return 0
	}
	return len(marks)
}

// lineCommand is what Claude Code runs for the line.
const lineCommand = "skillhand statusline"

// lineSetting is what --install writes.
const lineSetting = `{"type": "command", "command": "` + lineCommand + `", "padding": 0}`

// A lineDocument is what get-statusline-output prints: schemas/statusline-v1.schema.json.
type lineDocument struct {
	Status  string          `json:"status"`            // NONE, EXISTING or ERROR
	File    string          `json:"file"`              // that has the status line, or would
	Ours    bool            `json:"ours"`              // the one that is there is skillhand's
	Current json.RawMessage `json:"current,omitempty"` // the one that is there
	Install string          `json:"install,omitempty"` // the command that installs it
	Error   string          `json:"error,omitempty"`
}

// getStatuslineOutput says whether there is a status line, so that a skill can
// ask before it replaces one.
func getStatuslineOutput(_ context.Context, args []string, std shell.Std) int {
	if len(args) > 0 {
		fmt.Fprintln(std.Err, "get-statusline-output: takes no arguments")
		return cli.ExitUsage
	}
	doc := lineDocument{Status: "NONE", File: settingsFiles(std.Dir, std.Env).project, Install: lineCommand + " --install"}
	switch found, err := settingsFiles(std.Dir, std.Env).find(); {
	case err != nil:
		doc = lineDocument{Status: "ERROR", File: doc.File, Error: err.Error()}
	case found != nil:
		doc.Status, doc.File, doc.Ours, doc.Current = "EXISTING", found.file, found.ours(), found.value
		doc.Install += " --force"
		if doc.Ours {
			doc.Install = ""
		}
	}
	enc := json.NewEncoder(std.Out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(doc); err != nil {
		fmt.Fprintf(std.Err, "get-statusline-output: %v\n", err)
		return cli.ExitFailed
	}
	return cli.ExitOK
}

func runInstall(std *stdio, force, user bool) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	files := settingsFiles(dir, std.Env)
	target := files.project
	if user {
		target = files.user
	}
	found, err := files.find()
	switch {
	case err != nil:
		return err
	case found != nil && found.ours() && (found.file == target || !force):
		return std.Print(term.Near(found.file) + ": the status line is there already\n")
	case found != nil && !force:
		return fmt.Errorf("%s:%d: there is a status line already (--force replaces it)", found.file, found.line)
	}
	if err := editFile(target, func(src []byte) ([]byte, error) { return setKey(target, src, "statusLine", lineSetting) }); err != nil {
		return err
	}
	if found != nil && (found.file == files.local || found.file == files.project && user) {
		std.Warn(fmt.Sprintf("%s:%d: this status line still counts more", found.file, found.line))
	}
	return std.Print(term.Near(target) + ": status line installed\n")
}

// settings are the files that Claude Code reads a status line from.
type settings struct{ local, project, user string }

func settingsFiles(dir string, env []string) settings {
	project := lookup(env, "CLAUDE_PROJECT_DIR")
	if project == "" {
		project = dir
		if top := skill.Top(dir); top != "" {
			project = top
		}
	}
	own := lookup(env, "CLAUDE_CONFIG_DIR")
	if own == "" {
		own = filepath.Join(lookup(env, "HOME"), ".claude")
	}
	return settings{
		local:   filepath.Join(project, ".claude", "settings.local.json"),
		project: filepath.Join(project, ".claude", "settings.json"),
		user:    filepath.Join(own, "settings.json"),
	}
}

// A lineFound is a status line in a file.
type lineFound struct {
	file  string
	line  int
	value json.RawMessage
}

// find returns the status line that Claude Code would use, or nil.
func (s settings) find() (*lineFound, error) {
	for _, file := range []string{s.local, s.project, s.user} {
		src, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		o, err := readObject(file, src)
		if err != nil {
			return nil, err
		}
		if m, ok := o.member("statusLine"); ok && string(src[m.from:m.to]) != "null" {
			return &lineFound{file, lineAt(src, m.from), json.RawMessage(src[m.from:m.to])}, nil
		}
	}
	return nil, nil
}

func (f *lineFound) ours() bool {
	var v struct {
		Command string `json:"command"`
	}
	return json.Unmarshal(f.value, &v) == nil && v.Command == lineCommand
}

// editFile replaces a file as a whole. One that is linked to is replaced where it lies.
func editFile(file string, edit func(src []byte) ([]byte, error)) error {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	src, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	out, err := edit(src)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return atomicfile.Write(file, out, 0o644)
}

// setKey returns a JSON object with a key set to a value. All other bytes stay.
func setKey(file string, src []byte, key, value string) ([]byte, error) {
	o, err := readObject(file, src)
	if err != nil {
		return nil, err
	}
	if m, ok := o.member(key); ok {
		return splice(src, m.from, m.to, value), nil
	}
	if o.end == 0 { // nothing is in the file
		return fmt.Appendf(src, "{\n  %q: %s\n}\n", key, value), nil
	}
	entry := fmt.Sprintf("%q: %s", key, value)
	if len(o.members) == 0 {
		return splice(src, o.start, o.end, "{\n  "+entry+"\n}"), nil
	}
	// It comes last, and is set off as the first one is.
	inside := src[o.start+1:]
	blank := inside[:len(inside)-len(bytes.TrimLeft(inside, jsonSpace))]
	last := o.members[len(o.members)-1]
	return splice(src, last.to, last.to, ","+string(blank)+entry), nil
}

// jsonSpace is what may stand between the parts of a JSON text.
const jsonSpace = " \t\r\n"

func splice(src []byte, from, to int, text string) []byte {
	return bytes.Join([][]byte{src[:from], []byte(text), src[to:]}, nil)
}

// An object is where the members of a JSON object stand in its source.
type object struct {
	start, end int // of the whole; end is 0 if the source is blank
	members    []member
}

type member struct {
	name     string
	from, to int // of the value
}

// member returns the last one of that name: it is the one that counts.
func (o object) member(name string) (found member, ok bool) {
	for _, m := range o.members {
		if m.name == name {
			found, ok = m, true
		}
	}
	return found, ok
}

// readObject finds the members of the one object that a file consists of.
func readObject(file string, src []byte) (object, error) {
	var o object
	bom := len(src) - len(bytes.TrimPrefix(src, []byte("\ufeff")))
	if len(bytes.TrimLeft(src[bom:], jsonSpace)) == 0 {
		return o, nil
	}
	dec := json.NewDecoder(bytes.NewReader(src[bom:]))
	at := func() int { return bom + int(dec.InputOffset()) }
	fault := func(err error) (object, error) {
		where := at()
		if s, ok := errors.AsType[*json.SyntaxError](err); ok {
			where = max(0, bom+int(s.Offset)-1)
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			where, err = len(src), errors.New("it ends too early")
		}
		return object{}, fmt.Errorf("%s:%d: not JSON, left as it is: %w", file, lineAt(src, where), err)
	}
	token, err := dec.Token()
	if err != nil {
		return fault(err)
	}
	if token != json.Delim('{') {
		return fault(errors.New("it is not an object"))
	}
	o.start = at() - 1
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return fault(err)
		}
		var m member
		m.name, _ = key.(string) // keys of objects are strings
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return fault(err)
		}
		m.from, m.to = at()-len(value), at()
		o.members = append(o.members, m)
	}
	if _, err := dec.Token(); err != nil {
		return fault(err)
	}
	o.end = at()
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fault(errors.New("something follows the object"))
	}
	return o, nil
}

// lineAt is the number of the line that an offset is in.
func lineAt(src []byte, offset int) int {
	return 1 + bytes.Count(src[:min(offset, len(src))], []byte("\n"))
}
