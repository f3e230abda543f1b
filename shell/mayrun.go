package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/shell/bind"
)

// mayRun asks about every program and script that the line would run from a
// path of its own: what it calls, what an interpreter is given to read, what a
// program that runs programs is given to run. What cannot be told before is
// asked about as the folder that the line runs in.
func (r *running) mayRun() error {
	if r.MayRun == nil {
		return nil
	}
	return r.mayRunProgram(r.prog, 0)
}

func (r *running) mayRunProgram(prog *bind.Program, depth int) error {
	commands, setsPath := prog.Commands()
	moves := slices.ContainsFunc(commands, func(c bind.Command) bool { return c.Words[0] == "cd" || c.Words[0] == "pushd" })
	if setsPath {
		if err := r.cannotTell("which programs its PATH would find"); err != nil {
			return err
		}
	}
	for _, c := range commands {
		if err := r.mayRunCommand(c, moves, depth); err != nil {
			return err
		}
	}
	return nil
}

func (r *running) mayRunCommand(c bind.Command, moves bool, depth int) error {
	run := c.Words[:1] // what could be run: every word that follows, for a program that runs programs
	name := filepath.Base(c.Words[0])
	switch {
	case slices.Contains(runners, name):
		run = c.Words
	case interprets(c.Words[0]):
		script, code := operand(c.Words[1:])
		switch {
		case code != "" && isShell(name) && depth < 5:
			inner, err := bind.Bind(bind.Line{Parts: []bind.Part{{Text: code}}})
			if err != nil {
				return r.cannotTell("what " + name + " would run")
			}
			return r.mayRunProgram(inner, depth+1)
		case script != nil && *script == "":
			return r.cannotTell("what " + name + " would run")
		case script != nil:
			run = []string{c.Words[0], *script}
		case c.Input != "":
			run = []string{c.Words[0], c.Input}
		}
	}
	for i, word := range run {
		if err := r.mayRunWord(word, i == 0, moves); err != nil {
			return err
		}
	}
	return nil
}

// mayRunWord asks about a word that is run as a program, or read as one.
func (r *running) mayRunWord(word string, name, moves bool) error {
	switch {
	case word == "" && name:
		return r.cannotTell("what it would run")
	case word == "" || name && !strings.Contains(word, "/"):
		return nil // data, as far as can be told; or found in PATH, if anywhere
	case moves && !filepath.IsAbs(word):
		return r.cannotTell("what " + word + " would be after a change of the folder")
	}
	path := word
	if !filepath.IsAbs(path) {
		path = r.dir + string(filepath.Separator) + word // not cleaned: a/../b is not b if a is a link
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil // then it does not run either
	}
	if info, err := os.Stat(real); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return r.MayRun(real)
}

// cannotTell asks about the folder that the line runs in.
func (r *running) cannotTell(what string) error {
	if err := r.MayRun(filepath.Join(r.dir, ".")); err != nil {
		return fmt.Errorf("%w; and nobody can tell before %s", err, what)
	}
	return nil
}

// runners run the programs that they are given.
var runners = []string{
	"env", "xargs", "timeout", "nice", "nohup", "setsid", "stdbuf", "time", "exec", "command", "builtin", "sudo", "doas",
	"watch", "parallel", "find", "ionice", "chrt", "taskset", "flock", "unbuffer", "script", "strace", "ltrace", "eval", "busybox",
}

// interpreters run the file that they are given first.
var interpreters = []string{"python", "node", "deno", "bun", "ruby", "perl", "php", "lua", "Rscript", "pwsh"}

var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "source", "."}

func isShell(name string) bool { return slices.Contains(shells, name) }

// interprets reports whether a command runs the file that it is given first.
func interprets(command string) bool {
	name := filepath.Base(command)
	return isShell(command) || isShell(name) || slices.Contains(interpreters, strings.TrimRight(name, "0123456789."))
}

// operand returns the first word that is no option, which is the script; or the
// code that an option gives, and then there is no script.
func operand(words []string) (script *string, code string) {
	for i, w := range words {
		switch {
		case w == "-c" || w == "-e" || w == "-m" || w == "--eval" || strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.HasSuffix(w, "c"):
			if i+1 < len(words) {
				return nil, words[i+1]
			}
			return nil, ""
		case strings.HasPrefix(w, "-"):
		default:
			return &words[i], ""
		}
	}
	return nil, ""
}
