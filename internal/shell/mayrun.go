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

// May returns why a line must not run here, or nil. It must not run a program or script that MayRun
// refuses. If nobody can know in advance what the line runs, MayRun decides about the folder.
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

// mayRun asks MayRun about every program and script that the line would run by a path. If the path
// cannot be known in advance, it asks about the folder in which the line runs.
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

// tell asks about the folder if the names of the program's commands do not show what would run.
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
			if inner, ierr := bind.Bind(bind.Line{Parts: []bind.Part{{Text: code}}}, bind.World{}); err == nil &&
				ierr == nil && depth < maxCode {
				err = r.tell(inner, depth+1)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// maxCode is how deep code in code is judged. Deeper code is judged as a whole.
const maxCode = 5

// mayRunFile asks about the file that a path leads to, or about a folder that is clearly meant. It
// asks about the location of the file and of each link on the way, because anybody who can change a
// link chooses the file.
func (r *running) mayRunFile(dir, path string) error {
	if path == "" || path[0] == '-' {
		return nil
	}
	isWord := !strings.ContainsAny(path, "./") // test, build: a folder with this name proves nothing
	if !filepath.IsAbs(path) {
		path = dir + string(filepath.Separator) + path // not cleaned: if a is a link, a/../b is not b
	}
	if _, err := os.Lstat(path); err != nil {
		return nil // it does not exist, so it does not run either
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

// strays returns an error if a link that must not choose leads out of its project on the way to a
// path. Text written there is written somewhere else, and text read there does not belong to the
// project.
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

// mayRunModule asks about the files that an interpreter finds by a path: node src, or node src/main
// for src/main.js.
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

// cannotTell asks about the folder in which the line runs.
func (r *running) cannotTell(what string) error {
	if err := r.shell.MayRun(r.dir); err != nil {
		return fmt.Errorf("%w; %s cannot be known in advance", err, what)
	}
	return nil
}
