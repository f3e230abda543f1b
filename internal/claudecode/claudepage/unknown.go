package claudepage

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/skillhand/skillhand/internal/claudecode"
)

// unknown says what comes of a name that is neither a skill nor a command. Claude Code may add a name that is close to
// it, which is left out here.
func (c collection) unknown(r Request, name string) error {
	if !r.Tool {
		prompt := "/" + name
		if args := claudecode.TrimSpace(r.Args); args != "" {
			prompt += " " + args
		}
		if file := c.aWorkflow(); file != "" {
			return fmt.Errorf("%s: no such skill or command; if it is a workflow, as %s is: workflows are not rendered", name, file)
		}
		return &UnknownError{name, prompt}
	}
	if kind := claudecode.CommandKind(name); kind != "" {
		return toolError(fmt.Sprintf("%[1]s is a %[2]s command, not a skill. "+
			"Ask the user to run /%[1]s themselves — it cannot be invoked via the Skill tool.", name, kind))
	}
	message := "Unknown skill: " + name
	if full := c.fullName(name); full != "" {
		message += ". Did you mean " + full + "? Invoke it by that full name."
		return toolError(message)
	}
	if missing := c.notLoaded(name); missing != "" {
		message += ". " + missing
	}
	return toolError(message)
}

// An UnknownError says that Claude Code has no skill or command of a name, and sends it as text.
type UnknownError struct{ Name, Prompt string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("%s: no such skill or command where Claude Code looks: it would send %q as ordinary text", e.Name, e.Prompt)
}

// Unwrap makes it a kind of fs.ErrNotExist.
func (e *UnknownError) Unwrap() error { return fs.ErrNotExist }

// aWorkflow returns the file of a workflow in sight, or "".
func (c collection) aWorkflow() string {
	for _, e := range c.entries {
		if e.Workflow {
			return e.File
		}
	}
	return ""
}

// notLoaded says which plugin may be the reason that a skill is not there.
func (c collection) notLoaded(name string) string {
	owner, _, _ := strings.Cut(name, ":")
	for _, p := range c.plugins {
		switch {
		case p.Fault == "":
		case p.Name == owner:
			return fmt.Sprintf("The plugin %q did not load in this session (%s): "+
				"tell the user the plugin could not be loaded here, not that the skill is not installed.", p.Name, p.Fault)
		default:
			return fmt.Sprintf("1 plugin did not load in this session (%s); "+
				"if this skill belongs to it, tell the user its plugin could not be loaded here, not that the skill is not installed.", p.Fault)
		}
	}
	return ""
}

// fullName returns the plugin's entry that was called without its plugin.
func (c collection) fullName(name string) string {
	for _, e := range c.entries {
		if _, rest, ok := e.CutPlugin(); ok && rest == name {
			return e.Name
		}
	}
	return ""
}
