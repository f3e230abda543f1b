package shell

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// mayRun asks about every program and script that the line names by its path:
// what is called, what an interpreter is given to read, and whatever could be
// called, for programs that run programs (env, xargs, time) are many.
func (r *running) mayRun() error {
	if r.MayRun == nil {
		return nil
	}
	for _, call := range r.prog.Calls() {
		for i, word := range call {
			path, ok := r.script(word, i == 0, reads(call[0]))
			if !ok {
				continue
			}
			if err := r.MayRun(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// script returns the file that a word names, if that could run there.
func (r *running) script(word string, called, read bool) (path string, ok bool) {
	if word == "" || called && !strings.Contains(word, "/") {
		return "", false // found in PATH, if anywhere
	}
	if !filepath.IsAbs(word) {
		word = r.dir + string(filepath.Separator) + word // not cleaned: a/../b is not b if a is a link
	}
	real, err := filepath.EvalSymlinks(word)
	if err != nil {
		return "", false
	}
	info, err := os.Stat(real)
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	return real, called || read || info.Mode()&0o111 != 0 || hasShebang(real)
}

func hasShebang(path string) bool {
	start, err := readStart(path, 2)
	return err == nil && bytes.Equal(start, []byte("#!"))
}

// interpreters run the files that they are given, whatever these look like.
var interpreters = []string{"sh", "bash", "dash", "zsh", "ksh", "source", ".", "python", "node", "deno", "bun", "ruby", "perl", "php", "lua", "Rscript", "pwsh", "make", "awk", "sed"}

// reads reports whether a command runs the files that it is given.
func reads(command string) bool {
	name := strings.TrimRight(filepath.Base(command), "0123456789.")
	if command == "." {
		name = "."
	}
	for _, i := range interpreters {
		if name == i {
			return true
		}
	}
	return false
}
