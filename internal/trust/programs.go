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

// Find looks a program up for whoever is about to start it, by a name in the
// environment's PATH or by a path that is relative to dir. The project that we are in
// provides programs only if it is trusted: its folders in PATH do not count, nor do
// relative ones, and no link leads into it. The error is a *NotTrusted if trust
// would help, and otherwise one of proc.Find.
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

// Env returns an environment for a program that we start. It does not let the project that
// we are in choose what runs, unless the project is trusted: PATH has no folder of the
// project, and no relative one, which means another folder wherever one goes; BASH_ENV
// names no file of the project, which bash would run before anything else; and git
// obeys no repository among the project's files, whose configuration names programs.
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

// withGit returns an environment with settings that git obeys before those of any file.
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

// withPath returns an environment with the folders of PATH that keep wants.
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

// lends reports whether a path of the environment may say what runs.
func (p Policy) lends(path string) bool {
	return filepath.IsAbs(path) && p.provides(path) == nil
}

// provides reports why what lies at an absolute path must not run as a program of the
// environment's: it is in the project that we are in, or a link on the way is, and the
// project is not trusted.
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

// InProject reports whether a real path lies in the project that we are in. The user's
// home is no project, nor is the whole machine.
func (p Policy) InProject(real string) bool {
	_, ok := p.project(real)
	return ok
}

// project returns the folder of the project that we are in, if a real path lies in it.
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
