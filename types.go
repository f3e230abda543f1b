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

// Requests and results are made of these. The packages that define them are
// internal, so importers use the names here.
type (
	// A Here is the place that a Runtime works in. Fields that are empty are filled in.
	Here = here.Here
	// An Env is an environment, as os.Environ gives it.
	Env = here.Env
	// A Finder finds skills and commands by name.
	Finder = find.Finder
	// A NotFoundError says that no folder has a skill of a name.
	NotFoundError = find.NotFoundError
	// A Job says which one of which batch a request belongs to.
	Job = activity.Job

	// Args are the arguments a skill is loaded with: see ParseArgs and JoinArgs.
	Args = render.Args
	// A Directive says what became of one directive of a page.
	Directive = render.Directive
	// Wrap says which directives' output is wrapped in <skill-output>.
	Wrap = render.Wrap

	// A Builtin is a function that directives can call by name.
	Builtin = shell.Func
	// Std is what a built-in reads and writes.
	Std = shell.Std
	// How says where a directive ran: "builtin", "shell", "bash", or "" if it did not.
	How = shell.How

	// A Policy decides what may run.
	Policy = trust.Policy
	// A Question is what users must know before they trust a folder.
	Question = trust.Question
	// NotTrusted is the error that says that commands must not run.
	NotTrusted = trust.NotTrusted

	// A ClaudeFailure is an error with which Claude Code itself would end the invocation.
	ClaudeFailure = claudepage.Failure
	// A ClaudeUnknownError says that Claude Code has no skill or command of a name.
	ClaudeUnknownError = claudepage.UnknownError
)

// The ways to wrap.
const (
	WrapAuto   = render.WrapAuto // those that stand alone on their line
	WrapAlways = render.WrapAlways
	WrapNever  = render.WrapNever
)

// ParseArgs splits the raw argument string that an agent passes.
func ParseArgs(raw string) Args { return render.ParseArgs(raw) }

// JoinArgs makes Args of words that are split already.
func JoinArgs(words []string) Args { return render.JoinArgs(words) }
