package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/shell/bind"
	"github.com/skillhand/skillhand/internal/words"
)

// May reports why a line must not run here: it would run a program or a script that
// MayRun refuses, or what cannot be known in advance.
func (s *Shell) May(line Line) error {
	if s.MayRun == nil {
		return nil
	}
	dir, err := s.dir()
	if err != nil {
		return err
	}
	r := &running{shell: s, dir: dir, env: s.environ(dir)}
	if r.prog, err = bind.Bind(line, r.world()); err != nil {
		return err
	}
	return r.mayRun()
}

// mayRun asks about every program and script that the line would run from a
// path of its own. What cannot be told before is asked about as the folder that
// the line runs in.
func (r *running) mayRun() error {
	if r.shell.MayRun == nil {
		return nil
	}
	if err := r.tell(r.prog, 0); err != nil {
		return err
	}
	here := r.dir
	if dir, ok := r.prog.Moves(); ok {
		here = dir
	}
	var refused error
	runs := r.prog.Runs(bind.Files{
		Env: func(name string) (string, bool) { return words.Getenv(r.env, name) },
		Named: func(path string) bool {
			err := r.mayRunFile(here, path)
			if refused == nil {
				refused = err
			}
			return err != nil
		},
		Strays: func(path string) bool {
			err := r.strays(here, path)
			if refused == nil {
				refused = err
			}
			return err != nil
		},
		Guess:  sync.OnceValue(func() bool { return r.shell.MayRun(r.dir) != nil }),
		Script: func(path string) bool { return r.mayRunModule(here, path) != nil },
	})
	switch {
	case !runs:
		return nil
	case refused == nil:
		return r.cannotTell("what it would run")
	}
	return refused
}

// tell asks about the folder if the names of the program's commands do not tell what would run.
func (r *running) tell(prog *bind.Program, depth int) error {
	commands, setsPath := prog.Commands()
	moves := 0
	for _, c := range commands {
		if c.Words[0] == "cd" || c.Words[0] == "pushd" || c.Words[0] == "popd" {
			moves++
		}
	}
	if _, known := prog.Moves(); known {
		moves--
	}
	if setsPath {
		return r.cannotTell("which programs its PATH would find")
	}
	for _, c := range commands {
		name := c.Words[0]
		var err error
		switch {
		case name == "":
			err = r.cannotTell("what it would run")
		case moves > 0 && strings.Contains(name, "/") && !filepath.IsAbs(name) && !strings.HasPrefix(name, "~/"):
			err = r.cannotTell("what " + name + " would be after a change of the folder")
		}
		for _, code := range c.Code() {
			if inner, ierr := bind.Bind(bind.Line{Parts: []bind.Part{{Text: code}}}, bind.World{}); err == nil && ierr == nil && depth < maxCode {
				err = r.tell(inner, depth+1)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// maxCode bounds code in code. What is deeper is judged as a whole.
const maxCode = 5

// mayRunFile asks about what a path leads to, if that is a file, or a folder that is
// clearly meant: where it is, and where each link stands that leads there, since
// whoever can change a link chooses the file.
func (r *running) mayRunFile(dir, path string) error {
	if path == "" || path[0] == '-' {
		return nil
	}
	isWord := !strings.ContainsAny(path, "./") // test, build: that there is a folder of this name says nothing
	if !filepath.IsAbs(path) {
		path = dir + string(filepath.Separator) + path // not cleaned: a/../b is not b if a is a link
	}
	if _, err := os.Lstat(path); err != nil {
		return nil // then it does not run either
	}
	trail, err := files.FollowLinks(path)
	if err != nil {
		return nil
	}
	info, err := os.Lstat(trail[len(trail)-1])
	if err != nil || !info.Mode().IsRegular() && (isWord || !info.IsDir()) {
		return nil
	}
	for _, place := range trail {
		if err := r.shell.MayRun(place); err != nil {
			return err
		}
	}
	return nil
}

// strays says that a link which must not choose leads out of its project on the way to a path: whatever is written there is
// written elsewhere, and what is read there is not the project's to show.
func (r *running) strays(dir, path string) error {
	if path == "" || path[0] == '-' {
		return nil
	}
	if !filepath.IsAbs(path) {
		path = dir + string(filepath.Separator) + path
	}
	for ; ; path = filepath.Dir(path) { // a new file is where its folder is
		info, err := os.Lstat(path)
		if err != nil && path != filepath.Dir(path) {
			continue
		}
		trail, err := files.FollowLinks(path)
		if err != nil && info != nil && info.Mode()&os.ModeSymlink != 0 { // it leads to nothing yet
			target, _ := os.Readlink(path)
			if !filepath.IsAbs(target) {
				target = filepath.Join(filepath.Dir(path), target)
			}
			trail = []string{filepath.Dir(path), target}
		}
		if len(trail) == 0 || r.shell.MayRun(trail[len(trail)-1]) != nil {
			return nil
		}
		for _, place := range trail {
			if refused := r.shell.MayRun(place); refused != nil {
				return fmt.Errorf("%w; %s is a link there that leads to %s", refused, path, trail[len(trail)-1])
			}
		}
		return nil
	}
}

// mayRunModule asks about what an interpreter finds by a path: node src, node src/main for src/main.js.
func (r *running) mayRunModule(dir, path string) error {
	err := r.mayRunFile(dir, path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	found, _ := filepath.Glob(strings.NewReplacer("*", "?", "[", "?").Replace(path) + "*")
	for _, file := range found {
		if info, _ := os.Stat(file); err == nil && info != nil && (file == path && info.IsDir() || strings.HasPrefix(file, path+".")) {
			err = r.shell.MayRun(file)
		}
	}
	return err
}

// cannotTell asks about the folder that the line runs in.
func (r *running) cannotTell(what string) error {
	if err := r.shell.MayRun(r.dir); err != nil {
		return fmt.Errorf("%w; %s cannot be known in advance", err, what)
	}
	return nil
}
