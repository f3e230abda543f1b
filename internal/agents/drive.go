package agents

import (
	"fmt"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/words"
)

// A driver says how to start an agent without a person, and how to read its output. Readers
// translate every agent's events into Claude Code's stream-json. So the verdict, its categories and
// the retries of package claude work for all agents. A reader reports only what the stream says: an
// exit status alone is never a success.
type driver struct {
	longest int                       // the most bytes in a prompt; 0 means as many as Claude accepts
	begin   []string                  // arguments of every run
	model   string                    // the option that names the model
	resume  string                    // the option that names a session; if it ends in =, the value follows directly
	last    []string                  // arguments that continue the last session; nil if there is no such option
	prompt  string                    // the option that takes the prompt; "" if it is read from stdin
	node    bool                      // Node runs it, and it ends before a pipe has accepted all of its output
	command func(q Question) []string // returns the arguments, if they do not follow from the fields above
	reader  func(r run) Reader
}

// A Question is a prompt for an agent, with the options of its command line.
type Question struct {
	Prompt   string
	Model    string
	Resume   string   // the session to continue
	Continue bool     // continue the folder's last session
	Args     []string // further arguments, unchanged

	// MaxUSD limits what the run spends. The run ends after the step that exceeds it, or at the end
	// if the agent reports what it spent only then.
	MaxUSD float64

	// These are set if the question uses an option that only Claude Code has.
	Schema, Turns, Tools bool
}

// A Reader reads the stream of one run. It passes on lines as the Claude CLI would print them.
type Reader interface {
	Line(line []byte, say func([]byte))
	End(say func([]byte)) // after the program has ended
}

// An OptionError says that a question names an unknown agent, or an option that the agent does not
// have.
type OptionError struct {
	Field string // what is wrong: prompt, --schema, …
	Fault string
}

func (e *OptionError) Error() string { return e.Field + ": " + e.Fault }

// waitForPipe makes Node wait until a pipe has accepted all output. It is passed to Node as an
// option, which must not contain spaces or, in an address, a question mark.
const waitForPipe = "--import=data:text/javascript,{let/**/h=process.stdout._handle;h&&h.setBlocking&&h.setBlocking(true)}"

// Env returns env with the variable that the agent needs to print all of a long answer.
func (a *Agent) Env(env []string) []string {
	if !a.driver.node {
		return env
	}
	given, _ := words.Getenv(env, "NODE_OPTIONS")
	return append(slices.Clone(env), "NODE_OPTIONS="+strings.TrimSpace(given+" "+waitForPipe))
}

// Program returns the command that starts the agent.
func (a *Agent) Program() string { return a.Name }

// Version returns the version of the program that was asked.
func (a *Agent) Version() string { return a.Package[strings.LastIndexByte(a.Package, '@')+1:] }

// Variable names the environment variable with the program's path, if the program is not in PATH.
func (a *Agent) Variable() string { return "SKILLHAND_" + strings.ToUpper(a.Name) }

// Missing says how to install the agent.
func (a *Agent) Missing() string {
	return "install it: npm install -g " + a.Package + ", or set " + a.Variable()
}

// Check reports the first option of a question that the agent does not have, as an *OptionError.
func (a *Agent) Check(q Question) error {
	if most := a.driver.longest; most > 0 && len(q.Prompt) > most {
		fault := fmt.Sprintf("is %d bytes long, and %s takes at most %d: put the text in a file and name the file",
			len(q.Prompt), a.Name, most)
		return &OptionError{Field: "prompt", Fault: fault}
	}
	for _, option := range []struct {
		name  string
		asked bool
	}{
		{"schema", q.Schema}, {"max-turns", q.Turns}, {"allowed-tool", q.Tools},
		{"continue", q.Continue && a.driver.last == nil},
	} {
		if option.asked {
			return &OptionError{Field: "--" + option.name, Fault: a.Name + " has no such option"}
		}
	}
	if why := a.Unpriced(q.Model); q.MaxUSD > 0 && why != "" {
		return &OptionError{Field: "--max-budget-usd", Fault: why}
	}
	return nil
}

// Unpriced says why it is unknown what the agent spends with a model. It returns "" if the agent
// reports dollars, or tokens of a model whose price is known.
func (a *Agent) Unpriced(model string) string {
	_, priced := priceOf(model)
	switch {
	case a.Tells == InDollars, a.Tells == InTokens && priced:
		return ""
	case a.Tells == "":
		return "what " + a.Name + " spends is not known: it tells neither dollars nor tokens"
	case model == "":
		return "what " + a.Name + " spends is not known without the model's name: it tells tokens, and no dollars"
	}
	return fmt.Sprintf("what %s spends is not known: it tells tokens, and no price of %q is known here", a.Name, model)
}

// CannotFire says why no skill can fire with these further arguments, and what the user may add; ""
// if skills can fire.
func (a *Agent) CannotFire(args []string) string {
	for i, arg := range args {
		if arg == "--yolo" || arg == "-y" || arg == "--approval-mode=yolo" ||
			arg == "--approval-mode" && i+1 < len(args) && args[i+1] == "yolo" {
			return ""
		}
	}
	if why := a.Headless(); why != "" {
		return why + "; -- --approval-mode yolo lets one fire, and lets the model run anything"
	}
	return ""
}

// Command returns the arguments that ask a question, without the program's name, and the stdin.
func (a *Agent) Command(q Question) (args []string, stdin string) {
	d := a.driver
	if d.command != nil {
		return append(d.command(q), q.Args...), q.Prompt
	}
	args = slices.Clone(d.begin)
	add := func(option, value string) {
		if strings.HasSuffix(option, "=") {
			args = append(args, option+value)
		} else {
			args = append(args, option, value)
		}
	}
	if q.Model != "" {
		add(d.model, q.Model)
	}
	if q.Resume != "" {
		add(d.resume, q.Resume)
	}
	if q.Continue {
		args = append(args, d.last...)
	}
	if d.prompt != "" {
		add(d.prompt, q.Prompt)
		return append(args, q.Args...), ""
	}
	return append(args, q.Args...), q.Prompt
}

// Reader returns a reader for one run that asks q.
func (a *Agent) Reader(q Question) Reader {
	return a.driver.reader(run{loads: a.Loads, model: q.Model, limit: q.MaxUSD})
}
