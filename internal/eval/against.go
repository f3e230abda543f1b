package eval

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/gate"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/proc"
	"github.com/skillhand/skillhand/skill"
)

// At fetches the skill, or its plugin, into dir as it was at a revision of its git repository.
// Trials in the arm "against" use that copy. The cases do not change.
func (s *Subject) At(ctx context.Context, env here.Env, revision, dir string) error {
	root := s.Folder
	if s.Plugin != "" {
		root = files.Real(s.Plugin)
	}
	was := *s
	was.Cases, was.Was, was.Companion = nil, nil, ""
	if err := archive(ctx, env, root, revision, filepath.Join(dir, filepath.Base(root))); err != nil {
		return fmt.Errorf("%s at %s: %w", s.Name, revision, err)
	}
	was.Folder = filepath.Join(dir, filepath.Base(root))
	if s.Plugin != "" {
		own, err := s.inPlugin()
		if err != nil {
			return err
		}
		was.Plugin, was.Folder = was.Folder, filepath.Join(was.Folder, filepath.FromSlash(own))
	}
	if _, err := os.Stat(filepath.Join(was.Folder, skill.MainFile)); err != nil && !s.Whole {
		return fmt.Errorf("%s at %s: has no %s", s.Name, revision, skill.MainFile)
	}
	if s.Companion != "" {
		to := filepath.Join(dir, "companion")
		if err := archive(ctx, env, s.Companion, revision, to); err == nil { // the companion may be younger than the revision
			was.Companion = to
		}
	}
	s.Was = &was
	return nil
}

func archive(ctx context.Context, env here.Env, folder, revision, to string) error {
	top, err := git(ctx, env, folder, "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	commit, err := git(ctx, env, folder, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return fmt.Errorf("no such revision in %s", strings.TrimSpace(string(top)))
	}
	rel, err := filepath.Rel(files.Real(strings.TrimSpace(string(top))), folder)
	if err != nil {
		return err
	}
	tree := strings.TrimSpace(string(commit)) + ":"
	if rel != "." {
		tree += filepath.ToSlash(rel)
	}
	// Run git archive in the top folder. In any other folder it looks for that folder in the tree.
	packed, err := git(ctx, env, strings.TrimSpace(string(top)), "archive", "--format=tar", tree)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	return readTar(bytes.NewReader(packed), to)
}

// git runs git in a folder and returns what it prints.
func git(ctx context.Context, env here.Env, dir string, args ...string) ([]byte, error) {
	var out, errs bytes.Buffer
	res, err := proc.Run(ctx, proc.Cmd{
		Args: append([]string{"git"}, args...), Dir: dir, Env: env, Stdout: &out, Stderr: &errs,
		Timeout: gate.CommandTimeout, MaxOutput: maxUnpacked,
	})
	switch {
	case err != nil:
		return nil, err
	case res.Cut != proc.Not:
		return nil, fmt.Errorf("git %s did not end within %v", args[0], gate.CommandTimeout)
	case res.Exit != 0:
		return nil, fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(errs.String()))
	}
	return out.Bytes(), nil
}

// AllAt calls At for each skill. The function that it returns removes the copies.
func AllAt(ctx context.Context, env here.Env, revision string, subjects []*Subject) (end func(), err error) {
	dir, err := os.MkdirTemp("", "skillhand-against-")
	if err != nil {
		return func() {}, err
	}
	end = func() { RemoveTree(dir) }
	for i, s := range subjects {
		if err := s.At(ctx, env, revision, filepath.Join(dir, strconv.Itoa(i))); err != nil {
			return end, err
		}
	}
	return end, nil
}
