// Package setup answers one question: what of skillhand, and of what skills need, is on this
// machine? It diagnoses what is missing or broken, makes new skills, plugins and batches,
// configures agents to start skillhand mcp, and removes all of this.
package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/check"
	"github.com/skillhand/skillhand/internal/claudecode/settings"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/internal/trust"
	"github.com/skillhand/skillhand/skill"
)

// A DiagnoseRequest says what to diagnose. The zero value means the working folder.
type DiagnoseRequest struct {
	Dir string   // "" means the working folder
	Env []string // nil means the caller's

	Policy  func(here.Here) trust.Policy // returns which commands may run; nil trusts only files outside projects
	Version string                       // of this program, to compare with the one in PATH
	Commit  string
}

// A Diagnosis is the result of Diagnose. It is described by schemas/doctor-v1.schema.json.
type Diagnosis struct {
	OK     bool      `json:"ok"` // nothing is broken, and nothing necessary is missing
	Checks []Finding `json:"checks"`
}

// A Finding describes one thing that Diagnose inspected.
type Finding struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Text   string `json:"text"` // what was found, or what is wrong with it
	Fix    string `json:"fix"`  // what to do, one step a line, or ""
}

// A Status says whether a thing works.
type Status string

// The statuses, from best to worst.
const (
	OK      Status = "ok"
	Note    Status = "note"    // skillhand works without it, but something else does not
	Wrong   Status = "wrong"   // it is broken
	Missing Status = "missing" // skillhand needs it
)

// Diagnose inspects this machine and a folder. It changes nothing, and reports errors as findings.
func Diagnose(ctx context.Context, req DiagnoseRequest) Diagnosis {
	var doc Diagnosis
	add := func(f ...Finding) { doc.Checks = append(doc.Checks, f...) }
	h, stateErr := here.From(req.Dir, req.Env)
	if stateErr != nil { // inspect the rest in any case
		var err error
		if h, err = (here.Here{Dir: req.Dir, Env: req.Env, State: os.DevNull}).Complete(); err != nil {
			add(Finding{"state", Missing, err.Error(), ""})
			return doc
		}
	}
	add(platform(runtime.GOOS), state(h, stateErr))
	policy := trust.Policy{Home: h.Home}
	if req.Policy != nil {
		policy = req.Policy(h).Now()
	}
	p := programs{h, policy}
	add(p.bash(ctx), p.path(ctx, req))
	add(p.claude(ctx)...)
	add(p.agents()...)
	add(hooks(h)...)
	add(mcpAgents(h)...)
	if stateErr == nil { // otherwise there is no state folder to inspect
		add(placed(h)...)
		add(trusted(h, policy))
	}
	add(configuration(h)...)
	add(skills(ctx, h)...)
	worst := doc.Worst()
	doc.OK = worst != Wrong && worst != Missing
	return doc
}

// Worst returns the worst status of all.
func (d Diagnosis) Worst() Status {
	worst := OK
	rank := map[Status]int{Note: 1, Wrong: 2, Missing: 3}
	for _, f := range d.Checks {
		if rank[f.Status] > rank[worst] {
			worst = f.Status
		}
	}
	return worst
}

// platform says what skillhand cannot do on a system.
func platform(system string) Finding {
	f := Finding{Name: "platform", Status: OK, Text: system + "/" + runtime.GOARCH}
	switch system {
	case "linux", "windows":
	default:
		f.Status = Note
		f.Text += ": skillhand ends a program and its process group, but a process that left the group may go on running"
	}
	return f
}

// state checks whether the state folder is writable. It leaves nothing behind.
func state(h here.Here, err error) Finding {
	if err != nil {
		return Finding{"state", Missing, err.Error(), ""}
	}
	at := h.State
	for {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		at = filepath.Dir(at)
	}
	probe, err := os.MkdirTemp(at, ".skillhand-doctor-")
	if err != nil {
		return Finding{"state", Missing, fmt.Sprintf("%s: not writable: %v", h.State, files.Cause(err)),
			"set SKILLHAND_STATE_DIR to a folder of yours\nwithout one, nothing is remembered, not even trust"}
	}
	os.Remove(probe)
	return Finding{"state", OK, h.State, ""}
}

// hooks checks whether Claude Code calls skillhand hook, which notes what agents have seen.
func hooks(h here.Here) []Finding {
	where := h.Settings()
	set := settings.Read(where)
	var all []Finding
	for _, err := range set.Faults {
		all = append(all, Finding{"hooks", Wrong, err.Error(), ""})
	}
	installed, err := find.Installed(where.ConfigDir())
	if err != nil {
		all = append(all, Finding{"hooks", Wrong, err.Error(), ""})
	}
	if f := hookIn(set); f != nil {
		return append(all, Finding{"hooks", OK, "skillhand hook, in " + f.Name, ""})
	}
	return append(all, plugin(set, installed))
}

// mcpAgents checks which agents are configured to start skillhand mcp, and whether they can.
func mcpAgents(h here.Here) []Finding {
	var all []Finding
	for _, f := range FindMCP(MCPOwner{Home: h.Home, Project: h.Project, Getenv: h.Env.Get}) {
		again := "skillhand mcp --install " + f.Host
		switch {
		case f.Err != nil:
			all = append(all, Finding{"mcp", Note, fmt.Sprintf("%s: whether %s starts skillhand mcp is not known: %v", f.File, f.Host, f.Err), ""})
		case !strings.HasPrefix(strings.TrimSuffix(filepath.Base(f.Command.Program), ".exe"), "skillhand") ||
			!slices.Contains(f.Command.Args, "mcp"):
			all = append(all, Finding{"mcp", Note,
				fmt.Sprintf("%s: %s starts something else as skillhand: %s", f.File, f.Host, f.Command.Program), again})
		case filepath.IsAbs(f.Command.Program) && !files.IsFile(f.Command.Program):
			all = append(all, Finding{"mcp", Wrong, fmt.Sprintf("%s: %s starts %s, which is not there", f.File, f.Host, f.Command.Program), again})
		default:
			all = append(all, Finding{"mcp", OK, f.Host + " starts skillhand mcp, by " + f.File, ""})
		}
	}
	return all
}

// placed lists the other things that skillhand put on this machine; hooks and mcpAgents list the
// rest.
func placed(h here.Here) []Finding {
	var all []Finding
	for _, it := range FindItems(h) {
		switch it.Kind {
		case "statusline", "state":
			all = append(all, Finding{"places", OK, it.File + ": " + it.Text, ""})
		}
	}
	return all
}

// plugin says how the plugin is installed in Claude Code.
func plugin(set *settings.Settings, installed []find.InstalledPlugin) Finding {
	const (
		without = "in Claude Code, every load prints the whole skill"
		install = "claude plugin install skillhand@skillhand"
	)
	for _, id := range set.Plugins() {
		name, _, _ := strings.Cut(id, "@")
		on, by := set.Plugin(id)
		switch {
		case name != "skillhand":
		case !on:
			return Finding{"hooks", Note, fmt.Sprintf("the plugin %s is disabled in %s: %s", id, by.Name, without), "claude plugin enable " + id}
		case !has(installed, id):
			return Finding{"hooks", Note,
				fmt.Sprintf("the plugin %s is enabled in %s, but not installed: %s", id, by.Name, without), "claude plugin install " + id}
		default:
			return Finding{"hooks", OK, "the plugin " + id + ", in " + by.Name, ""}
		}
	}
	return Finding{"hooks", Note, "the plugin is not installed: " + without, "claude plugin marketplace add skillhand/skillhand\n" + install}
}

func has(installed []find.InstalledPlugin, id string) bool {
	for _, p := range installed {
		if p.ID == id {
			return true
		}
	}
	return false
}

// hookIn returns the last settings file with a hook that calls skillhand, or nil.
func hookIn(set *settings.Settings) *settings.File {
	var found *settings.File
	for _, f := range set.Files {
		for _, hook := range f.Hooks {
			if hook.Calls("skillhand", "hook") {
				found = f
			}
		}
	}
	return found
}

func trusted(h here.Here, policy trust.Policy) Finding {
	nothing := func() bool { // no skill here needs trust
		list, faults := h.Finder().List()
		return len(faults) == 0 && !slices.ContainsFunc(list, func(l skill.Location) bool { return l.From != skill.FromUser })
	}
	if h.Env.Get("SKILLHAND_TRUST") == "all" {
		return Finding{"trust", Note, "SKILLHAND_TRUST=all: commands run from every folder",
			"unset SKILLHAND_TRUST, unless this is CI or a container"}
	}
	switch refused, ok := errors.AsType[*trust.NotTrusted](policy.May(h.Project)); {
	case !ok:
		return Finding{"trust", OK, h.Project, ""}
	case refused.Err != nil:
		return Finding{"trust", Note, refused.Err.Error(), ""}
	case refused.Changed:
		return Finding{
			"trust", Note, h.Project + ": changed since you pinned it, so its skills load but run no commands",
			"skillhand trust --pin, after you have read the changes",
		}
	}
	if nothing() {
		return Finding{"trust", OK, h.Project + ": not trusted, and has no skills that would need it", ""}
	}
	return Finding{"trust", Note, h.Project + ": not trusted: its skills load, but run no commands",
		"skillhand trust, after you have read them"}
}

// configuration says which configuration file applies, and which parts of it are ignored.
func configuration(h here.Here) []Finding {
	c, err := h.Config()
	var wrong []Finding
	for _, err := range c.Faults(err) {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			wrong = append(wrong, Finding{"config", Wrong, line, ""})
		}
	}
	switch {
	case wrong != nil:
		return wrong
	case c.File == "":
		return nil
	case len(c.Ignored) > 0:
		text := fmt.Sprintf("%s: in force but for %s, which need trust", c.File, strings.Join(c.Ignored, ", "))
		return []Finding{{"config", Note, text, "skillhand trust, after you have read it"}}
	}
	return []Finding{{"config", OK, c.File, ""}}
}

// skills counts the skills that can be loaded here by name, and reports broken ones.
func skills(ctx context.Context, h here.Here) []Finding {
	list, faults := h.Finder().List()
	var odd []Finding
	wrong := func(text, fix string) { odd = append(odd, Finding{"skills", Wrong, text, fix}) }
	for _, err := range faults {
		fix := ""
		if dead, ok := errors.AsType[*find.DeadLink](err); ok {
			fix = dead.Help()
		}
		wrong(err.Error(), fix)
	}
	count := 0
	for _, loc := range list {
		s, err := skill.Read(loc)
		if err != nil {
			wrong(err.Error(), "")
			continue
		}
		if faults := s.Faults(); len(faults) > 0 {
			for _, n := range faults {
				wrong(s.Say(n), "")
			}
			continue
		}
		count++
		for _, n := range s.Notes {
			status := Note
			if n.Strict() {
				status = Wrong
			}
			odd = append(odd, Finding{"skills", status, s.Say(n), ""})
		}
	}
	all := Finding{"skills", OK, fmt.Sprintf("%d can be loaded here by name (skillhand list)", count), ""}
	if count == 0 {
		all = Finding{"skills", Note, "none can be loaded here by name", "skillhand init skill NAME"}
	}
	return append(append([]Finding{all}, odd...), checked(ctx, h)...)
}

// checked says whether skillhand check finds errors here.
func checked(ctx context.Context, h here.Here) []Finding {
	c, err := check.At(h, nil)
	if err != nil {
		if _, said := h.Config(); said != nil {
			return nil // configuration has reported it
		}
		return []Finding{{"skills", Note, err.Error(), ""}}
	}
	res, err := c.Run(ctx)
	if err != nil {
		return nil // skills has reported what cannot be read
	}
	n := res.Count(check.Error)
	if n == 0 {
		return nil
	}
	return []Finding{{"skills", Note, "check finds " + term.Plural(n, "error"), "skillhand check"}}
}
