package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/skillhand/skillhand/internal/proc"
	"github.com/skillhand/skillhand/internal/words"
)

// runBash runs the line in bash. why names the part of the line that the embedded shell cannot run.
func (r *running) runBash(why error) Result {
	prelude, values := r.prelude()
	args := append([]string{"bash", "-c", prelude + r.prog.Text, "bash"}, values...)
	end, err := proc.Run(r.ctx, proc.Cmd{
		Args:   args,
		Dir:    r.dir,
		Env:    r.env,
		Stdout: r.stream(r.stdout),
		Stderr: r.stream(r.stderr),
	})
	switch {
	case r.ctx.Err() != nil && (err != nil || end.Cut != proc.Not):
		r.cut.Store(true)
		return Result{How: Bash}
	case errors.Is(err, fs.ErrNotExist):
		return Result{Exit: 127, Reason: fmt.Sprintf("bash is not in PATH, and only bash can run %v", why)}
	case err != nil:
		return Result{Exit: 126, Reason: "bash could not be started: " + err.Error()}
	}
	res := Result{How: Bash, Exit: end.Exit}
	if end.Signal != 0 {
		res.Reason = "killed by signal " + strconv.Itoa(end.Signal)
	}
	return res
}

// prelude returns code that sets the line's variables from bash's arguments, and these arguments.
// The code has no newline, so that line numbers in the text stay correct. After it, no arguments
// are left, and it exports nothing.
func (r *running) prelude() (code string, values []string) {
	var b strings.Builder
	for _, v := range r.prog.Vars {
		switch {
		case v.Unused:
		case !v.Split:
			fmt.Fprintf(&b, "%s=$1;shift;", v.Name)
			values = append(values, v.Data)
		default:
			fmt.Fprintf(&b, "%s=();", v.Name)
			// It sets a few at a time, because bash finds its n-th argument by counting from the
			// first.
			for few := range slices.Chunk(v.Words, 9) {
				fmt.Fprintf(&b, `%s+=(%s);shift %d;`, v.Name, firstArguments[:5*len(few)], len(few))
			}
			values = append(values, v.Words...)
		}
	}
	for _, name := range r.prog.Names() {
		if functionName(name) {
			b.WriteString(r.function(name)) // bash would not find built-ins, nor launchers by their bare file names
		}
	}
	return b.String(), values
}

const firstArguments = `"$1" "$2" "$3" "$4" "$5" "$6" "$7" "$8" "$9" `

func functionName(name string) bool {
	for i := 0; i < len(name); i++ {
		if !isNameByte(name[i]) && strings.IndexByte("-.:+@", name[i]) < 0 {
			return false
		}
	}
	return name[0] != '-'
}

// function defines a bash function that calls a built-in or a launcher.
func (r *running) function(name string) string {
	t := r.resolve(name)
	switch {
	case t.path != "":
		return fmt.Sprintf(`%s() { %s "$@"; };`, name, words.Quote(t.path))
	case t.fn == nil:
		return ""
	case len(r.shell.Self) > 0:
		return fmt.Sprintf(`%s() { %s "$@"; };`, name, Quote(append(r.shell.Self[:len(r.shell.Self):len(r.shell.Self)], name)))
	}
	return fmt.Sprintf(`%s() { echo %s >&2; return 127; };`, name,
		words.Quote(name+": a built-in that only a plain command line can call here"))
}
