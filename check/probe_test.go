//go:build unix

package check

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/test"
	"github.com/skillhand/skillhand/internal/test/fakeapi"
	"github.com/skillhand/skillhand/internal/test/realclaude"
)

// A probe holds what check says about some files against what Claude Code does with them. The
// files lie in testdata/claude/*.txtar, once for all places:
//
//	skills/x/SKILL.md   in .claude of the project, in the user's, or in a plugin
//	hooks.json          the hooks of the settings file, or of the plugin
//	plugin.json         the plugin's manifest, if it is a special one
//	project/F, user/F   files in the project's folder and in the user's .claude, wherever the rest lies
//	other/F             files of a second plugin, called other, of the same marketplace
//	flags               flags for Claude Code
//	ask                 what is asked, a line each; see session.ask
//	project, user, plugin, installed   what each question came to there, and what check says
//
// Places without a file are not asked about.
type probe struct {
	file    string
	archive *txtar.Archive
	files   map[string]string
	asks    []string
	flags   []string
}

// The places that files are loaded from. A plugin is one given by --plugin-dir.
var probePlaces = []string{"project", "user", "plugin", "installed"}

func readProbes(t *testing.T) []*probe {
	t.Helper()
	names, err := filepath.Glob("testdata/claude/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no probes", err)
	}
	var all []*probe
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		p := &probe{file: name, archive: a, files: map[string]string{}}
		for _, f := range a.Files {
			text := strings.NewReplacer("<ZWSP>", "\u200b", "<CR>", "\r", "<REPEAT>", strings.Repeat("All work and no play. ", 1200)).Replace(string(f.Data))
			switch {
			case f.Name == "ask":
				p.asks = strings.Split(strings.TrimSpace(text), "\n")
			case f.Name == "flags":
				p.flags = strings.Fields(text)
			case !slices.Contains(probePlaces, f.Name):
				p.files[f.Name] = text
			}
		}
		all = append(all, p)
	}
	return all
}

// places lists where the probe is asked about.
func (p *probe) places() []string {
	var all []string
	for _, f := range p.archive.Files {
		if slices.Contains(probePlaces, f.Name) {
			all = append(all, f.Name)
		}
	}
	return all
}

const checkPrefix = "check: "

// want returns the lines that are recorded about a place: Claude Code's answers, or ours.
func (p *probe) want(place string, ours bool) []string {
	var lines []string
	for _, f := range p.archive.Files {
		if f.Name != place {
			continue
		}
		for line := range strings.Lines(string(f.Data)) {
			if strings.HasPrefix(line, checkPrefix) == ours {
				lines = append(lines, strings.TrimRight(line, "\n"))
			}
		}
	}
	return lines
}

// put replaces what is recorded about a place.
func (p *probe) put(t *testing.T, place string, claudes, ours []string) {
	t.Helper()
	for i, f := range p.archive.Files {
		if f.Name == place {
			p.archive.Files[i].Data = []byte(strings.Join(append(slices.Clone(claudes), ours...), "\n") + "\n")
		}
	}
	if err := os.WriteFile(p.file, txtar.Format(p.archive), 0o666); err != nil {
		t.Fatal(err)
	}
}

// lay writes the probe's files for a place. It returns the folder they are loaded from.
func (p *probe) lay(t *testing.T, project, home, place string) (root string) {
	t.Helper()
	switch place {
	case "project":
		root = filepath.Join(project, ".claude")
	case "user":
		root = filepath.Join(home, ".claude")
	case "plugin":
		root = filepath.Join(project, "plug")
	case "installed":
		root = filepath.Join(filepath.Dir(project), "market", "plug") // elsewhere, as what people install is
	}
	isPlugin := place == "plugin" || place == "installed"
	write := func(file, text string) {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		err := error(nil)
		if target, isLink := strings.CutPrefix(text, "LINK "); isLink {
			err = os.Symlink(strings.TrimSpace(target), file)
		} else {
			err = os.WriteFile(file, []byte(text), 0o777)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	list := `{"name": "plug", "source": "./plug", "description": "d"}`
	for name, text := range p.files {
		top, rest, _ := strings.Cut(name, "/")
		switch {
		case top == "project":
			write(filepath.Join(project, rest), text)
		case top == "user":
			write(filepath.Join(home, ".claude", rest), text)
		case top == "other":
			write(filepath.Join(filepath.Dir(root), "other", rest), text)
			if !strings.Contains(list, "./other") {
				list += `, {"name": "other", "source": "./other", "description": "d"}`
				write(filepath.Join(filepath.Dir(root), "other", ".claude-plugin", "plugin.json"), plainManifest("other"))
			}
		case name == "plugin.json":
		case name == "hooks.json" && isPlugin:
			write(filepath.Join(root, "hooks", "hooks.json"), text)
		case name == "hooks.json":
			write(filepath.Join(root, "settings.json"), text)
		default:
			write(filepath.Join(root, name), text)
		}
	}
	if isPlugin {
		write(filepath.Join(root, ".claude-plugin", "plugin.json"), cmp.Or(p.files["plugin.json"], plainManifest("plug")))
	}
	if place == "installed" {
		write(filepath.Join(filepath.Dir(root), ".claude-plugin", "marketplace.json"), `{"name": "m", "owner": {"name": "Ada"}, "plugins": [`+list+`]}`)
	}
	return root
}

func plainManifest(name string) string {
	return fmt.Sprintf(`{"name": %q, "version": "1.0.0", "description": "d", "author": {"name": "Ada"}}`, name)
}

// TestProbes: what check says about the probes' files in each place is what is recorded beside
// Claude Code's answers.
func TestProbes(t *testing.T) {
	for _, p := range readProbes(t) {
		for _, place := range p.places() {
			t.Run(strings.TrimSuffix(filepath.Base(p.file), ".txtar")+"/"+place, func(t *testing.T) {
				dir := t.TempDir()
				project, home := filepath.Join(dir, "project"), filepath.Join(dir, "home")
				if err := os.MkdirAll(filepath.Join(project, ".git"), 0o777); err != nil {
					t.Fatal(err)
				}
				root := p.lay(t, project, home, place)
				var paths []string // the project, and the user's
				if place == "installed" {
					paths = []string{filepath.Dir(root)}
				}
				files, err := Finder{Dir: project, Home: home}.Find(paths)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, f := range Run(context.Background(), files, Options{Jobs: 1}).Findings {
					file, err := filepath.Rel(root, f.path)
					if err != nil {
						t.Fatal(err)
					}
					line := fmt.Sprintf("%s%s:%d: %s %s: %s", checkPrefix, filepath.ToSlash(file), f.Range.Line, f.Severity, f.Rule, f.Message)
					got = append(got, strings.NewReplacer(root+"/", "", project, "PROJECT", home, "HOME", filepath.Dir(root), "MARKET").Replace(line))
				}
				slices.Sort(got)
				if *test.Update {
					p.put(t, place, p.want(place, false), got)
				} else if want := p.want(place, true); !slices.Equal(got, want) {
					t.Errorf("%s: check says\n%s\nwant\n%s", p.file, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			})
		}
	}
}

// TestProbesReal asks the pinned Claude Code about every probe in every place. What it does is what
// is recorded.
func TestProbesReal(t *testing.T) {
	test.Real(t)
	for _, p := range readProbes(t) {
		for _, place := range p.places() {
			t.Run(strings.TrimSuffix(filepath.Base(p.file), ".txtar")+"/"+place, func(t *testing.T) {
				if !*test.Record {
					t.Parallel()
				}
				got := p.askClaude(t, place)
				if *test.Record {
					p.put(t, place, got, p.want(place, true))
				} else if want := p.want(place, false); !slices.Equal(uncut(got), uncut(want)) {
					t.Errorf("%s: Claude Code %s does\n%s\nwant\n%s", p.file, claudecode.Version, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			})
		}
	}
}

// uncut keeps the beginning of what is cut: where it is cut depends on how long the paths of this machine are.
func uncut(answers []string) []string {
	all := slices.Clone(answers)
	for i, a := range all {
		if strings.Contains(a, "…") {
			all[i] = a[:min(len(a), 200)]
		}
	}
	return all
}

// askClaude puts all questions of a probe to Claude Code.
func (p *probe) askClaude(t *testing.T, place string) []string {
	api := fakeapi.New(t)
	api.Handle(realclaude.Obey)
	c := realclaude.New(t, api)
	root := p.lay(t, c.Project, c.Home, place)
	flags := p.flags
	if !slices.Contains(flags, "--disallowedTools") {
		flags = append([]string{"--allowedTools", "Skill,Agent"}, flags...)
	}
	switch _, two := p.files["other/skills/o/SKILL.md"]; place {
	case "plugin":
		flags = append(flags, "--plugin-dir", root)
		if two {
			flags = append(flags, "--plugin-dir", filepath.Join(filepath.Dir(root), "other"))
		}
	case "installed":
		c.Run("plugin", "marketplace", "add", filepath.Dir(root))
		c.Run("plugin", "install", "plug@m")
		if two {
			c.Run("plugin", "install", "other@m")
		}
	}
	s := &questions{t: t, c: c, p: p, root: root, session: c.Start(flags...)}
	var got []string
	for _, ask := range p.asks {
		answer := strings.NewReplacer(c.Project, "PROJECT", c.Home, "HOME", filepath.Dir(root), "MARKET").Replace(s.ask(ask))
		got = append(got, ask+" → "+answer)
	}
	s.session.Close()
	return got
}

// questions is one session of Claude Code with a probe's files.
type questions struct {
	t       *testing.T
	c       *realclaude.Claude
	p       *probe
	root    string
	session *realclaude.Session
}

// ask answers one question:
//
//	slash NAME [ARGS]   the page that /NAME sends to the model, or the error in its place
//	tool NAME [ARGS]    the same for the Skill tool
//	skills, agents      the probe's in the list that the model gets
//	agent NAME          the tools of that agent, and the skills it starts with
//	model NAME          the model of that agent
//	say PROMPT          the page that this very prompt sends
//	bash COMMAND        the model runs a command: the files that are there afterwards
//	compact WORD…       which words the model still has after a compaction
//	validate            complaints of claude plugin validate
//	eval                the cases that claude plugin eval runs, with their scores in the arm that has the plugin, and their graders
func (s *questions) ask(line string) string {
	what, rest, _ := strings.Cut(line, " ")
	name, args, _ := strings.Cut(rest, " ")
	calls := slices.Contains([]string{"slash", "tool", "agent", "model"}, what)
	if isPlugin := filepath.Base(s.root) == "plug"; isPlugin && calls && !strings.Contains(name, ":") {
		name = "plug:" + name
	}
	switch what {
	case "slash":
		prompt := strings.TrimSpace("/" + name + " " + args)
		return s.page(prompt, prompt)
	case "tool":
		return s.page(fmt.Sprintf(`call Skill {"skill": %q, "args": %q}`, name, args), "")
	case "say":
		return s.page(rest, rest)
	case "skills":
		return s.list("skills are available for use with the Skill tool:\n\n")
	case "agents":
		return s.list("Available agent types for the Agent tool:\n")
	case "agent", "model":
		return s.agent(name, what == "model")
	case "bash":
		return s.bash(rest)
	case "compact":
		return s.compact(strings.Fields(rest))
	case "validate":
		return s.validate()
	case "eval":
		return s.eval()
	}
	s.t.Fatalf("%s: unknown question %s", s.p.file, line)
	return ""
}

// page sends a prompt and returns what came of it for the model. raw is the prompt that is sent as
// it is if nothing answers to it.
func (s *questions) page(prompt, raw string) string {
	before := len(s.c.API.Requests())
	turn := s.session.Send(prompt)
	requests := s.c.API.Requests()[before:]
	if len(requests) == 0 {
		return "error " + quoted(turn.Result.Result)
	}
	for _, q := range requests {
		for _, b := range q.Results() {
			if b.IsError {
				return "error " + quoted(b.Said())
			}
		}
	}
	var texts []string
	last := requests[len(requests)-1]
	for _, turn := range slices.Backward(last.Messages) {
		if turn.Role != "user" {
			continue
		}
		for _, b := range turn.Content {
			switch {
			case b.Type != "text", strings.HasPrefix(b.Text, "<system-reminder>"), strings.HasPrefix(b.Text, "<command-"), strings.HasPrefix(b.Text, "<local-command-"):
			case strings.TrimSpace(b.Text) == raw:
				return "unknown"
			default:
				texts = append(texts, b.Text)
			}
		}
		break
	}
	return quoted(strings.Join(texts, "\n"))
}

var baseLine = regexp.MustCompile(`(?m)^Base directory for this skill: .*\n\n?`)

// quoted is a text on one line, without what every page begins with.
func quoted(text string) string {
	text = strings.TrimSpace(baseLine.ReplaceAllString(text, ""))
	line, _ := json.Marshal(clip(text, 300))
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(line))
}

// list returns the probe's lines of a list that the model gets.
func (s *questions) list(title string) string {
	if len(s.c.API.Requests()) == 0 {
		s.session.Send("hi")
	}
	var found []string
	for _, q := range s.c.API.Requests() {
		for _, text := range q.Texts() {
			_, list, ok := strings.Cut(text, title)
			if !ok || len(found) > 0 {
				continue
			}
			list, _, _ = strings.Cut(list, "\n\n")
			for line := range strings.Lines(list) {
				line = strings.TrimSpace(line)
				if name, _, _ := strings.Cut(strings.TrimPrefix(line, "- "), ":"); s.owns(name, line) {
					found = append(found, line)
				}
			}
		}
	}
	slices.Sort(found)
	return cmp.Or(strings.Join(found, " | "), "none")
}

// owns reports whether a line of a list is about one of the probe's files.
func (s *questions) owns(name, line string) bool {
	if strings.HasPrefix(line, "- plug:") || strings.HasPrefix(line, "- other:") {
		return true
	}
	for file := range s.p.files {
		base := strings.TrimSuffix(filepath.Base(file), ".md")
		if name == base || name == filepath.Base(filepath.Dir(file)) {
			return true
		}
	}
	return false
}

// agent starts an agent, and says which tools it has and which of the probe's texts.
func (s *questions) agent(name string, model bool) string {
	before := len(s.c.API.Requests())
	s.session.Send(fmt.Sprintf(`call Agent {"subagent_type": %q, "prompt": "go", "description": "d", "run_in_background": false}`, name))
	for _, q := range s.c.API.Requests()[before:] {
		for _, b := range q.Results() {
			if q.Agent == "" && b.IsError {
				return "error " + quoted(b.Said())
			}
		}
		if q.Agent == "" {
			continue
		}
		if model {
			return q.Model
		}
		var tools []string
		for _, tool := range q.Tools {
			tools = append(tools, tool.Name)
		}
		text := fmt.Sprintf("tools %s", strings.Join(tools, " "))
		for _, skill := range q.Find("<command-name>") {
			if _, after, ok := strings.Cut(skill, "<command-name>"); ok {
				skill, _, _ = strings.Cut(after, "<")
				text += "; skill " + skill
			}
		}
		return text
	}
	return "it did not start"
}

// bash has the model run a command. Hooks leave files.
func (s *questions) bash(command string) string {
	input, _ := json.Marshal(map[string]string{"command": command, "description": "d"})
	s.session.Send("call Bash " + string(input))
	made, err := filepath.Glob(filepath.Join(s.c.Project, "ran-*"))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := range made {
		made[i] = filepath.Base(made[i])
		os.Remove(filepath.Join(s.c.Project, made[i]))
	}
	return cmp.Or(strings.Join(made, " "), "no file")
}

// compact has the session compacted, and says which words the next request has.
func (s *questions) compact(words []string) string {
	s.session.Send("/compact")
	s.session.Send("hi")
	var has []string
	for _, word := range words {
		if n := s.c.API.Last().Count(word); n > 0 {
			has = append(has, word)
		}
	}
	return cmp.Or(strings.Join(has, " "), "none")
}

func (s *questions) validate() string {
	out := s.c.Run("plugin", "validate", s.root)
	var found []string
	for line := range strings.Lines(out.Stdout + out.Stderr) {
		if m := complaintLine.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			found = append(found, clip(m[1]+": "+m[2], 200))
		}
	}
	return cmp.Or(strings.Join(found, " | "), "fine")
}

// eval has claude plugin eval run the suite with a model that says done and uses no tool.
func (s *questions) eval() string {
	file := filepath.Join(s.t.TempDir(), "result.json")
	out := s.c.Run("plugin", "eval", s.root, "--trust-plugin", "--no-publish", "--runs", "1", "-j", "3", "--json", file, "--output-dir", s.t.TempDir())
	src, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatalf("%v: exit %d\n%s%s", err, out.Exit, out.Stdout, out.Stderr)
	}
	var result struct {
		Cases []struct {
			Name string
			Arms struct {
				With []struct {
					Score   float64
					Graders []struct {
						Name           string
						Passed, Scored bool
					}
				}
			}
		}
	}
	if err := json.Unmarshal(src, &result); err != nil {
		s.t.Fatal(err)
	}
	var found []string
	for _, c := range result.Cases {
		for _, run := range c.Arms.With {
			text := fmt.Sprintf("%s %.2f", c.Name, run.Score)
			for _, g := range run.Graders {
				text += ", " + g.Name + map[bool]string{true: " passes", false: " fails"}[g.Passed] + map[bool]string{false: " unscored"}[g.Scored]
			}
			found = append(found, text)
		}
	}
	slices.Sort(found)
	return fmt.Sprintf("exit %d: %s", out.Exit, strings.Join(found, " | "))
}
