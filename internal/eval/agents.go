package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/lazy"
	"github.com/skillhand/skillhand/skill"
)

// other is the agent that trials ask; nil for Claude Code.
func (o *Options) other() (*agents.Agent, error) { return agents.Find(o.Agent) }

// installFor puts the skill where other agents look, all of them: into .agents/skills of the project. The arm without it
// has the rest of the case's folder.
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

// logins are the files in HOME by which agents are let in, and the variables. A trial has nothing else of the user's.
var logins = map[string]struct{ files, env []string }{
	"codex":   {[]string{".codex/auth.json", ".codex/config.toml"}, []string{"OPENAI_*", "CODEX_API_KEY"}},
	"copilot": {[]string{".copilot/config.json"}, []string{"COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN"}},
	"gemini":  {[]string{".gemini/settings.json", ".gemini/oauth_creds.json", ".gemini/google_accounts.json"}, []string{"GEMINI_*"}},
	"opencode": {
		[]string{".config/opencode/opencode.json", ".local/share/opencode/auth.json"}, []string{"OPENCODE_*", "OPENAI_*", "OPENROUTER_*", "GEMINI_*"},
	},
	"pi":   {[]string{".pi/agent/auth.json", ".pi/agent/models.json", ".pi/agent/settings.json"}, []string{"PI_*", "OPENAI_*", "OPENROUTER_*", "GEMINI_*"}},
	"qwen": {[]string{".qwen/settings.json", ".qwen/oauth_creds.json"}, []string{"QWEN_*", "OPENAI_*", "DASHSCOPE_*"}},
}

// elsewhere are the variables by which agents look for the user's own folders.
var elsewhere = []string{"COPILOT_HOME", "GEMINI_CLI_HOME", "OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR", "PI_CODING_AGENT_DIR", "QWEN_HOME"}

// agentEnv adds to a trial's environment what an agent needs. The folder is ours, so Gemini may trust it.
func agentEnv(env, user here.Env, a *agents.Agent) here.Env {
	names := append([]string{a.Variable()}, logins[a.Name].env...)
	for _, kv := range user {
		name, value, _ := strings.Cut(kv, "=")
		if matches(names, name) && !slices.Contains(elsewhere, name) {
			env = env.With(name, value)
		}
	}
	return env.With("GEMINI_CLI_TRUST_WORKSPACE", "true")
}

// passLogin puts into a new HOME what lets an agent in, without the keys that renew a login: a trial that used one would
// log the user out.
func passLogin(user here.Here, home string, a *agents.Agent) error {
	var faults []error
	for _, name := range logins[a.Name].files {
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

// withoutRenewal leaves out, at any depth, the keys that renew a login, and the servers and hooks that settings start.
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

// readTranscript reads what an agent did with a skill that has some names; nil means Claude Code. In other agents a tool
// that delivers a skill says so in its result. One without such a tool reads the skill's file, and what it read must be
// there: a command that names the file may fail.
func readTranscript(file string, by *agents.Agent, s *Subject, names Names) (Reading, error) {
	if by == nil {
		st := &stream{}
		err := events(file, nil, st.line)
		return st.reading(names), err
	}
	st := &stream{delivers: true}
	reads := &fileReads{calls: map[string][]string{}}
	err := events(file, by, func(line []byte) {
		st.line(line)
		reads.line(line, s)
	})
	r := st.reading(s.Names)
	switch {
	case r.Outcome == Void || r.Outcome == Fired:
	case reads.own:
		r.Outcome, r.Refused = ReadFile, ""
	case len(reads.others) > 0:
		r.Outcome, r.Skills = Other, append(r.Skills, reads.others...)
	}
	return r, err
}

// fileReads are the skills whose files an agent read.
type fileReads struct {
	calls  map[string][]string // the skills whose files a call names, by the call's id
	own    bool
	others []string
}

var skillFile = lazy.Regexp(`([^/\\\s'"]+)[/\\]+SKILL\.md`)

func (f *fileReads) line(line []byte, s *Subject) {
	var e event
	if !bytes.Contains(line, []byte(`"tool_`)) || !loose(json.Unmarshal(line, &e)) {
		return
	}
	for _, b := range blocks(e.Message.Content) {
		switch b.Type {
		case "tool_use":
			for _, m := range skillFile.Get().FindAllSubmatch(b.Input, -1) {
				f.calls[b.ID] = append(f.calls[b.ID], string(m[1]))
			}
		case "tool_result":
			for _, name := range f.calls[b.For] {
				switch {
				case b.IsError:
				case name != s.Dir && !slices.Contains(f.others, name):
					f.others = append(f.others, name)
				case name == s.Dir && strings.Contains(b.said(), s.firstLine()):
					f.own = true
				}
			}
		}
	}
}

// firstLine is the first line of the skill's text below its frontmatter.
func (s *Subject) firstLine() string {
	text, err := os.ReadFile(filepath.Join(s.Folder, skill.MainFile))
	if err != nil {
		return "\x00" // then nothing shows that it was read
	}
	lines := strings.Split(string(text), "\n")
	if strings.TrimSpace(lines[0]) == "---" {
		if end := slices.IndexFunc(lines[1:], func(l string) bool { return strings.TrimSpace(l) == "---" }); end >= 0 {
			lines = lines[end+2:]
		}
	}
	for _, l := range lines {
		if l = strings.TrimSpace(l); l != "" {
			return l
		}
	}
	return ""
}
