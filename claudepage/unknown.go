package claudepage

import (
	"fmt"
	"strings"
)

// unknown says what comes of a name that is neither a skill nor a command.
func (c collection) unknown(r Request, name string) error {
	if !r.Tool {
		prompt := "/" + name
		if args := trimSpace(r.Args); args != "" {
			prompt += " " + args
		}
		return fmt.Errorf("%s: no such skill or command; Claude Code would send %q as ordinary text", name, prompt)
	}
	if kind := builtinKind(name); kind != "" {
		return toolError(fmt.Sprintf("%[1]s is a %[2]s command, not a skill. "+
			"Ask the user to run /%[1]s themselves — it cannot be invoked via the Skill tool.", name, kind))
	}
	message := "Unknown skill: " + name
	if full := c.fullName(name); full != "" {
		message += ". Did you mean " + full + "? Invoke it by that full name."
		return toolError(message)
	}
	if near := c.nearest(name); near != "" {
		message += ". Did you mean " + near + "?"
	}
	if missing := c.notLoaded(name); missing != "" {
		message = strings.TrimSuffix(message, ".")
		if !strings.HasSuffix(message, "?") {
			message += "."
		}
		message += " " + missing
	}
	return toolError(message)
}

// notLoaded says which plugin may be the reason that a skill is not there.
func (c collection) notLoaded(name string) string {
	owner, _, _ := strings.Cut(name, ":")
	for _, p := range c.plugins {
		switch {
		case p.fault == "":
		case p.name == owner:
			return fmt.Sprintf("The plugin %q did not load in this session (%s): "+
				"tell the user the plugin could not be loaded here, not that the skill is not installed.", p.name, p.fault)
		default:
			return fmt.Sprintf("1 plugin did not load in this session (%s); "+
				"if this skill belongs to it, tell the user its plugin could not be loaded here, not that the skill is not installed.", p.fault)
		}
	}
	return ""
}

// fullName returns the plugin's entry that was called without its plugin.
func (c collection) fullName(name string) string {
	for _, e := range c.entries {
		if _, rest, ok := cutPlugin(e); ok && rest == name {
			return e.name
		}
	}
	return ""
}

// Commands of Claude Code that are no skills, as it lists and names them.
const (
	cliCommands = "agents auto-mode-setup autocompact clear compact output-style context heapdump " +
		"reload-plugins reload-skills recap list-agents"
	uiCommands = "btw cd color config effort fast focus mcp model rename usage goal help login logout cost exit quit " +
		"status permissions hooks memory resume bug feedback add-dir ide ios plan skills plugin"
	ownSkills = "deep-research dataviz update-config verify debug code-review simplify batch " +
		"fewer-permission-prompts doctor loop claude-api workflow-authoring run run-skill-generator plugin-authoring " +
		"init security-review review insights statusline team-onboarding"
)

func builtinKind(name string) string {
	for _, n := range strings.Fields(cliCommands) {
		if n == name {
			return "built-in CLI"
		}
	}
	for _, n := range strings.Fields(uiCommands) {
		if n == name {
			return "UI"
		}
	}
	return ""
}

// nearest returns the name that is at most two edits away, the nearest first.
func (c collection) nearest(name string) string {
	best, least := "", 3
	try := func(candidate string) {
		if d := distance(name, candidate); d < least {
			best, least = candidate, d
		}
	}
	for _, e := range c.entries {
		try(e.name)
	}
	for _, names := range []string{ownSkills, cliCommands, uiCommands} {
		for _, n := range strings.Fields(names) {
			try(n)
		}
	}
	return best
}

// distance returns how many letters must be added, dropped or changed to make a into b, or just
// many.
func distance(a, b string) int {
	if len(a) > 4*len(b)+16 {
		return len(a) // far, and perhaps long
	}
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			change := diagonal
			if x[i] != y[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}
