package skillhand

import (
	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/claudecode/claudepage"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/render"
	"github.com/skillhand/skillhand/internal/shell"
	"github.com/skillhand/skillhand/internal/trust"
)

// These types are fields of requests and results. Their packages are internal, so importers use
// the names here.
type (
	// A Here says where a Runtime works: folders, session, environment. Empty fields are filled in.
	Here = here.Here
	// An Env is an environment, in the form of os.Environ.
	Env = here.Env
	// A Finder finds skills and commands by name.
	Finder = find.Finder
	// A NotFoundError says that no skill has the name.
	NotFoundError = find.NotFoundError
	// A Job names the batch job that a request belongs to.
	Job = activity.Job

	// Args are the arguments a skill is loaded with: see ParseArgs and JoinArgs.
	Args = render.Args
	// A Directive is the outcome of one directive of a page.
	Directive = render.Directive
	// Wrap says which directives get <skill-output> around their output.
	Wrap = render.Wrap

	// A Builtin is a function that directives can call by name.
	Builtin = shell.Func
	// Std has the streams of a built-in.
	Std = shell.Std
	// How says where a directive ran: "builtin", "shell", "bash", or "" if it did not.
	How = shell.How

	// A Policy decides what may run.
	Policy = trust.Policy
	// A Question tells users what they need to know before they trust a folder.
	Question = trust.Question
	// NotTrusted is the error for commands that must not run.
	NotTrusted = trust.NotTrusted

	// A ClaudeFailure is an error with which Claude Code itself would fail.
	ClaudeFailure = claudepage.Failure
	// A ClaudeUnknownError says that Claude Code knows no skill or command with the name.
	ClaudeUnknownError = claudepage.UnknownError
)

// The values of Wrap.
const (
	WrapAuto   = render.WrapAuto // directives with a line of their own
	WrapAlways = render.WrapAlways
	WrapNever  = render.WrapNever
)

// ParseArgs splits the raw argument string that an agent passes.
func ParseArgs(raw string) Args { return render.ParseArgs(raw) }

// JoinArgs makes Args from words.
func JoinArgs(words []string) Args { return render.JoinArgs(words) }
