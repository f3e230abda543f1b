package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/skillhand/skillhand/proc"
	"mvdan.cc/sh/v3/syntax"
)

// runBash runs the line in bash. why names what the embedded shell leaves to it.
func (j *job) runBash(why error) Result {
	prelude, values := j.prelude()
	args := append([]string{"bash", "-c", prelude + j.prog.text, "bash"}, values...)
	r, err := proc.Run(j.ctx, proc.Cmd{
		Args:   args,
		Dir:    j.dir,
		Env:    j.env,
		Stdout: j.stream(j.stdout),
		Stderr: j.stream(j.stderr),
	})
	switch {
	case j.ctx.Err() != nil && (err != nil || r.Cut != proc.Not):
		j.cut.Store(true)
		return Result{How: Bash}
	case errors.Is(err, fs.ErrNotExist):
		return Result{Exit: 127, Reason: fmt.Sprintf("bash is not in PATH, and only bash can run %v", why)}
	case err != nil:
		return Result{Exit: 126, Reason: "bash could not be started: " + err.Error()}
	}
	res := Result{How: Bash, Exit: r.Exit}
	if r.Signal != 0 {
		res.Reason = "killed by signal " + strconv.Itoa(r.Signal)
	}
	return res
}

// prelude returns code that sets the line's variables from bash's arguments,
// and these arguments. It has no newline, so that the numbers of the text's
// lines stay right, and it leaves neither arguments nor anything exported.
func (j *job) prelude() (code string, values []string) {
	var b strings.Builder
	for _, v := range j.prog.vars {
		next := len(values) + 1
		switch {
		case !v.split:
			fmt.Fprintf(&b, "%s=${%d};", v.name, next)
			values = append(values, v.data)
		case len(v.words) == 0:
			fmt.Fprintf(&b, "%s=();", v.name)
		default:
			fmt.Fprintf(&b, `%s=("${@:%d:%d}");`, v.name, next, len(v.words))
			values = append(values, v.words...)
		}
	}
	if len(values) > 0 {
		b.WriteString("set --;")
	}
	if j.prog.file != nil {
		for _, name := range j.called() {
			b.WriteString(j.function(name))
		}
	}
	return b.String(), values
}

// called returns the names by which the line calls what bash would not find:
// built-ins, and launchers by their bare file names.
func (j *job) called() []string {
	var names []string
	seen := map[string]bool{}
	syntax.Walk(j.prog.file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		name, ok := j.prog.name(call)
		if ok && !seen[name] && functionName(name) {
			seen[name] = true
			names = append(names, name)
		}
		return true
	})
	return names
}

// functionName reports whether bash allows a function of this name.
func functionName(name string) bool {
	for i := 0; i < len(name); i++ {
		if !isNameByte(name[i]) && strings.IndexByte("-.:+@", name[i]) < 0 {
			return false
		}
	}
	return name[0] != '-'
}

// function defines a bash function that calls one of ours.
func (j *job) function(name string) string {
	t := j.resolve(name)
	switch {
	case t.path != "":
		return fmt.Sprintf(`%s() { %s "$@"; };`, name, quoteWord(t.path))
	case t.fn == nil:
		return ""
	case len(j.Self) > 0:
		return fmt.Sprintf(`%s() { %s "$@"; };`, name, Quote(append(j.Self[:len(j.Self):len(j.Self)], name)))
	}
	return fmt.Sprintf(`%s() { echo %s >&2; return 127; };`, name, quoteWord(name+": a built-in that only a plain command line can call here"))
}
