package activity

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/session"
	"github.com/skillhand/skillhand/internal/term"
)

// A LineInput is the part that matters here of the data that Claude Code sends to a status line.
type LineInput struct {
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
	maxLineInput = 4 << 20     // bytes of input to read
	maxLineWait  = time.Second // time to wait for the input
	maxLineCells = 300         // columns, if the number of columns is unknown
)

// StatusLine returns the status line for Claude Code. It returns a line even if something fails.
func StatusLine(env []string, in LineInput) (line string) {
	defer func() {
		if recover() != nil {
			line = "skillhand"
		}
	}()
	parts := in.parts()
	// Leave out the parts that cannot be found.
	if h, err := (here.Here{Dir: in.dir(), Env: env, Session: in.Session}).Complete(); err == nil && in.dir() != "" {
		parts = append(parts, lineRuns(h)...)
	}
	if h, err := here.From("", env); err == nil {
		if n := lineSkills(h, in); n > 0 {
			parts = append(parts, term.Plural(n, "skill"))
		}
	}
	if len(parts) == 0 {
		parts = []string{"skillhand"}
	}
	return term.Fit(term.Flat(strings.Join(parts, " · ")), term.Columns(nil, here.Env(env).Get("COLUMNS"), maxLineCells))
}

// ReadLineInput reads the input, but waits only for the first value and for no more than
// maxLineWait: nothing need ever close stdin or write to it.
func ReadLineInput(stdin io.Reader) LineInput {
	if term.IsTerminal(stdin) {
		return LineInput{}
	}
	read := make(chan LineInput, 1)
	go func() {
		var in LineInput
		// A field of an unexpected type leaves the other fields intact.
		_ = json.NewDecoder(io.LimitReader(stdin, maxLineInput)).Decode(&in)
		read <- in
	}()
	select {
	case in := <-read:
		return in
	case <-time.After(maxLineWait):
		return LineInput{}
	}
}

func (in *LineInput) parts() []string {
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

func (in *LineInput) dir() string {
	if in.Workspace.Dir != "" {
		return in.Workspace.Dir
	}
	return in.Cwd
}

// lineSkills returns how many skills a session has seen: through skillhand, or from the agent
// itself according to the index of transcripts.
func lineSkills(h here.Here, in LineInput) int {
	names := map[string]bool{}
	if marks, err := h.Sessions().Marks(session.ID{Session: in.Session}); err == nil {
		for _, m := range marks {
			names[m.Skill] = true
		}
	}
	if s, ok := InSession(h, in.dir(), in.Session); ok {
		for _, name := range s.Skills {
			names[name] = true
		}
	}
	return len(names)
}

// lineRuns describes the last runs in a folder's project. It reads only the latest lines of the
// history, because Claude Code draws the status line very often.
func lineRuns(h here.Here) []string {
	found, err := store(h).Read(Query{Project: project(h), Since: time.Now().Add(-24 * time.Hour), Last: 10, Within: 1000})
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

// lineCommand is the command that Claude Code runs for the line.
const lineCommand = "skillhand statusline"

// lineSetting is the setting that --install writes.
const lineSetting = `{"type": "command", "command": "` + lineCommand + `", "padding": 0}`

// A LineSetting says whether Claude Code has a status line, so that a skill can ask before it
// replaces the line. schemas/statusline-v1.schema.json describes it.
type LineSetting struct {
	Status  string          `json:"status"`            // NONE, EXISTING or ERROR
	File    string          `json:"file"`              // the file that has the status line, or would have it
	Ours    bool            `json:"ours"`              // the current status line is skillhand's
	Current json.RawMessage `json:"current,omitempty"` // the current status line
	Install string          `json:"install,omitempty"` // the command that installs it
	Error   string          `json:"error,omitempty"`
}

// NewLineSetting returns the status line in the settings that apply in h.
func NewLineSetting(h here.Here) LineSetting {
	where := h.Settings()
	doc := LineSetting{Status: "NONE", File: where.File(settings.Project), Install: lineCommand + " --install"}
	switch found, err := findLine(where); {
	case err != nil:
		doc = LineSetting{Status: "ERROR", File: doc.File, Error: err.Error()}
	case found != nil:
		doc.Status, doc.File, doc.Ours, doc.Current = "EXISTING", found.File, ours(found), found.Value
		doc.Install += " --force"
		if doc.Ours {
			doc.Install = ""
		}
	}
	return doc
}

// statuslineOutput returns the setting for a skill's page.
func statuslineOutput(h here.Here, _ []string, _ io.Writer) (string, error) {
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(NewLineSetting(h))
	return text.String(), err
}

// An InstallRequest says where to install a status line.
type InstallRequest struct {
	Force bool // replace another status line
	User  bool // for all projects of the user
}

// An InstalledLine is the result of InstallLine.
type InstalledLine struct {
	File    string
	Already bool            // the line was already installed
	Hidden  *settings.Found // another status line with a higher priority
}

// InstallLine adds our status line to the settings of a project or of the user. It changes no other
// byte of the file.
func InstallLine(h here.Here, req InstallRequest) (InstalledLine, error) {
	where := h.Settings()
	target := where.File(settings.Project)
	if req.User {
		target = where.File(settings.User)
	}
	all := settings.Read(where)
	if err := errors.Join(all.Faults...); err != nil {
		return InstalledLine{}, err // Claude Code ignores the file: its settings would be lost
	}
	found, there := all.Find(claudecode.KeyStatusLine), all.In(target, claudecode.KeyStatusLine)
	switch {
	case there != nil && ours(there) && ours(found):
		return InstalledLine{File: target, Already: true}, nil
	case there != nil && !ours(there) && !req.Force:
		return InstalledLine{}, fmt.Errorf("%s:%d: a status line is already set; --force replaces it", there.File, there.Line)
	case found != nil && ours(found) && !req.Force && !req.User: // a line for all projects applies to this project
		return InstalledLine{File: found.File, Already: true}, nil
	case found != nil && !ours(found) && !req.Force:
		return InstalledLine{}, fmt.Errorf("%s:%d: a status line is already set; --force replaces it", found.File, found.Line)
	}
	if err := settings.SetFile(target, lineSetting, claudecode.KeyStatusLine); err != nil {
		return InstalledLine{}, err
	}
	done := InstalledLine{File: target}
	if found != nil && !ours(found) && (found.Source == settings.Local || found.Source == settings.Managed ||
		found.Source == settings.Project && req.User) {
		done.Hidden = found
	}
	return done, nil
}

// RemoveLine removes our status line from the settings of a project or of the user. It changes no
// other byte of the file.
func RemoveLine(h here.Here, user bool) (file string, gone bool, err error) {
	source := settings.Project
	if user {
		source = settings.User
	}
	file = h.Settings().File(source)
	src, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return file, false, nil
	}
	if err != nil {
		return file, false, err
	}
	f, err := settings.Parse(file, src)
	if err != nil {
		return file, false, err
	}
	line := f.Value(claudecode.KeyStatusLine)
	if line == nil {
		return file, false, nil
	}
	if ours, _ := IsLine(line); !ours {
		return file, false, fmt.Errorf("%s: its status line is not skillhand's", file)
	}
	return file, true, settings.RemoveFile(file, claudecode.KeyStatusLine)
}

// findLine returns the status line that Claude Code uses, or nil. It returns an error for a file
// that Claude Code ignores, because the file's settings would be lost.
func findLine(w settings.Where) (*settings.Found, error) {
	s := settings.Read(w)
	return s.Find(claudecode.KeyStatusLine), errors.Join(s.Faults...)
}

func ours(f *settings.Found) bool {
	ours, _ := IsLine(f.Value)
	return ours
}

// IsLine reports whether a setting runs our status line, and whether it equals the setting that
// InstallLine writes.
func IsLine(setting json.RawMessage) (ours, asInstalled bool) {
	var is, want map[string]any
	if json.Unmarshal(setting, &is) != nil || is["command"] != lineCommand {
		return false, false
	}
	return true, json.Unmarshal([]byte(lineSetting), &want) == nil && reflect.DeepEqual(is, want)
}
