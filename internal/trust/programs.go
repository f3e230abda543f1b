package trust

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/proc"
)

// Find returns the path of a program that is about to start. It is a name in the environment's PATH
// or a path relative to dir. An untrusted project around us provides no programs: its folders in
// PATH and relative ones do not count, and no link may lead into it. The error is a *NotTrusted if
// trust would help, otherwise one of proc.Find.
func (p Policy) Find(name, dir string, env []string) (string, error) {
	path, err := proc.Find(name, dir, p.Env(env))
	if err == nil {
		if err = p.provides(path); err == nil {
			return path, nil
		}
	} else if withheld, ferr := proc.Find(name, dir, withPath(env, filepath.IsAbs)); ferr == nil {
		err = p.provides(withheld)
	}
	return "", err
}

// Env returns an environment for a program that we start. In it, an untrusted project around us
// cannot choose what runs: PATH has no folder of the project and no relative one; BASH_ENV, which
// bash runs first, names no file of the project; and git ignores repositories among the project's
// files, because their configuration can name programs.
func (p Policy) Env(env []string) []string {
	env = withPath(env, p.lends)
	env = slices.DeleteFunc(env, func(kv string) bool {
		file, ok := strings.CutPrefix(kv, "BASH_ENV=")
		return ok && file != "" && !p.lends(file)
	})
	if p.Near != nil && slices.ContainsFunc(p.Near(), func(root string) bool { _, ok := p.project(root); return ok && p.May(root) != nil }) {
		env = withGit(env, "safe.bareRepository", "explicit", "core.fsmonitor", "false")
	}
	return env
}

// withGit returns an environment with git settings that override those of any file.
func withGit(env []string, settings ...string) []string {
	count := 0
	env = slices.DeleteFunc(env, func(kv string) bool {
		text, ok := strings.CutPrefix(kv, "GIT_CONFIG_COUNT=")
		if n, err := strconv.Atoi(text); ok && err == nil {
			count = n
		}
		return ok
	})
	for pair := range slices.Chunk(settings, 2) {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", count, pair[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", count, pair[1]))
		count++
	}
	return append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", count))
}

// withPath returns an environment whose PATH has only the folders that keep accepts.
func withPath(env []string, keep func(dir string) bool) []string {
	env = slices.Clone(env)
	for i, kv := range env {
		if list, ok := strings.CutPrefix(kv, "PATH="); ok {
			dirs := slices.DeleteFunc(filepath.SplitList(list), func(dir string) bool { return !keep(dir) })
			env[i] = "PATH=" + strings.Join(dirs, string(os.PathListSeparator))
		}
	}
	return env
}

// lends reports whether a path in the environment may decide what runs.
func (p Policy) lends(path string) bool {
	return filepath.IsAbs(path) && p.provides(path) == nil
}

// provides reports why the program at an absolute path must not run: the path, or a link on the way,
// is in the current project, which is not trusted.
func (p Policy) provides(path string) error {
	trail, err := files.FollowLinks(path)
	if err != nil {
		trail = []string{path}
	}
	for _, at := range trail {
		project, ok := p.project(at)
		if !ok {
			continue
		}
		err := p.May(at)
		if refused, ok := errors.AsType[*NotTrusted](err); ok && refused.Err == nil && !refused.Changed {
			refused.Dir = project
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// InProject reports whether a real path is in the current project. The user's home and the root of
// the machine are not projects.
func (p Policy) InProject(real string) bool {
	_, ok := p.project(real)
	return ok
}

// project returns the folder of the current project, if a real path is in it.
func (p Policy) project(real string) (root string, ok bool) {
	if p.Near == nil {
		return "", false
	}
	home := p.Home
	if at, err := realPath(home); !p.real && err == nil {
		home = at
	}
	for _, root := range p.Near() {
		if root != home && root != filepath.Dir(root) && files.Inside(root, real) {
			return root, true
		}
	}
	return "", false
}
