package eval

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/words"
	"github.com/skillhand/skillhand/skill"
)

// installFor copies the skill into the project's .agents/skills, where all other agents look. In
// the arm without the skill it copies the rest of the case's folder.
func (s *Subject) installFor(arm Arm, place folders) error {
	if arm == Against && s.Was != nil {
		return s.Was.installFor(With, place)
	}
	for _, parent := range []string{".agents", ".claude"} {
		if err := os.RemoveAll(filepath.Join(place.project, parent, "skills", s.Dir)); err != nil {
			return err
		}
	}
	if arm == Without {
		return nil
	}
	return copyTree(s.Folder, filepath.Join(place.project, ".agents", "skills", s.Dir), but("evals", ".git"))
}

// agentEnv adds to a trial's environment what an agent needs. skillhand made the folder, so the
// agent may trust it.
func agentEnv(env, user here.Env, a *agents.Agent) here.Env {
	names := append([]string{a.Variable()}, a.Login.Variables...)
	for _, kv := range user {
		name, value, _ := strings.Cut(kv, "=")
		if matches(names, name) && !slices.Contains(a.Login.Elsewhere, name) {
			env = env.With(name, value)
		}
	}
	if a.Login.Trust != "" {
		env = env.With(a.Login.Trust, "true")
	}
	return env
}

// passLogin copies the agent's login, and nothing else of the user, into a new HOME. It leaves out
// keys that renew a login: a trial that used such a key would log the user out.
func passLogin(user here.Here, home string, a *agents.Agent) error {
	var faults []error
	for _, name := range a.Login.Files {
		text, err := os.ReadFile(filepath.Join(user.Home, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var doc map[string]any
		if json.Unmarshal(text, &doc) == nil {
			text, err = json.Marshal(withoutRenewal(doc))
		}
		if err == nil {
			err = writeIn(filepath.Join(home, name), text)
		}
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// withoutRenewal removes, at any depth, the keys that renew a login, and the servers and hooks that
// settings start.
func withoutRenewal(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			switch key {
			case "refresh_token", "refreshToken", "refresh", "mcpServers", "mcp", "hooks", "plugin":
				delete(v, key)
			default:
				v[key] = withoutRenewal(inner)
			}
		}
	case []any:
		for i, inner := range v {
			v[i] = withoutRenewal(inner)
		}
	}
	return value
}

// readTranscript reads what an agent did with a skill that has these names; by is nil for Claude
// Code. If another agent has a tool that delivers skills, the tool's result says so. An agent
// without such a tool reads the skill's file, so a command prints its text.
func readTranscript(file string, by *agents.Agent, s *Subject, names Names) (Reading, error) {
	if by == nil {
		st := &stream{}
		err := events(file, nil, st.event)
		return st.reading(names), err
	}
	st := &stream{delivers: true, hides: by.Hides.Tool}
	prints := newPrints(s)
	err := events(file, by, func(e *event) {
		st.event(e)
		prints.event(e)
	})
	r := st.reading(s.Names)
	switch {
	case r.Outcome == Fired, r.Outcome == Void && !(r.full && len(prints.own) > 0):
	case len(prints.own) > 0:
		r.Outcome, r.Refused = ReadFile, ""
	case r.Outcome == Called:
	case st.hidden:
		r.Outcome, r.Why = Unknown, "the agent started a subagent and does not show what the subagent did"
	case len(prints.others) > 0:
		r.Outcome, r.Skills = Other, append(r.Skills, prints.others...)
	}
	return r, err
}

// lookIntoSessions looks for the skill's text in the sessions that a trial left in its HOME, to
// find out whether a subagent had it. Without sessions this stays unknown.
func (m *Bundle) lookIntoSessions(t *Trial, s *Subject, home string) {
	t.NoCost = true // the agent does not count the cost of what it does not show
	prints, found := newPrints(s), files.Glob(home, m.other.Hides.Sessions)
	for _, file := range found {
		text, err := os.ReadFile(file)
		if err != nil {
			return
		}
		if prints.shows(unescape.Replace(string(text))) {
			t.Outcome, t.Why = Fired, ""
			return
		}
	}
	if len(found) > 0 {
		t.Outcome, t.Why = None, ""
	}
}

// unescape decodes the escapes in a JSON string.
var unescape = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\t`, "\t", `\/`, "/")

// prints collects the skills whose text a tool printed. The command, its folder and its exit status
// do not matter: only what the model was shown counts. A list of files or a matching line shows a
// name or a line, not the text.
type prints struct {
	lines  []string        // the first lines of the skill's own text
	names  Names           // the names of the skill
	own    map[string]bool // the calls that printed it, by id
	others []string
}

// printed is how many bytes at the beginning of a skill's text are compared.
const printed = 2000

func newPrints(s *Subject) *prints {
	p := &prints{names: append(slices.Clone(s.Names), s.Dir), own: map[string]bool{}}
	text, err := os.ReadFile(filepath.Join(s.Folder, skill.MainFile))
	if err != nil {
		return p // then nothing can show that the agent read it
	}
	body, size := strings.Builder{}, 0
	for _, part := range skill.Parse(skill.MainFile, text).Parts {
		if part.Kind != skill.Header {
			body.WriteString(part.Source)
		}
	}
	for line := range strings.Lines(body.String()) {
		if line = strings.TrimSpace(line); line != "" && size < printed {
			p.lines, size = append(p.lines, line), size+len(line)
		}
	}
	return p
}

// front matches the frontmatter of a skill in the output of a tool.
var front = words.Regexp(`(?m)^---[ \t]*\r?\n(?:[\w-]+:.*\r?\n|[ \t].*\r?\n)*?name:[ \t]*["']?([\w.:-]+)`)

func (p *prints) event(e *event) {
	for _, b := range e.parts {
		if b.Type != "tool_result" {
			continue
		}
		said := b.said()
		if p.shows(said) {
			p.own[b.For] = true
		}
		for _, m := range front.Get().FindAllStringSubmatch(said, -1) {
			if !slices.Contains(p.names, m[1]) && !slices.Contains(p.others, m[1]) {
				p.others = append(p.others, m[1])
			}
		}
	}
}

// shows reports whether said contains most of the beginning of the skill's text.
func (p *prints) shows(said string) bool {
	found, all := 0, 0
	for _, line := range p.lines {
		if all += len(line); strings.Contains(said, line) {
			found += len(line)
		}
	}
	return all > 0 && 2*found > all
}
