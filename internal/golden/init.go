package golden

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/render"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/skill"
)

// Init loads the skill at loc in rt's folder. It writes the arguments, the output of the directives
// and the page to tests/page.txtar beside the skill. It never overwrites a test.
func Init(ctx context.Context, rt skillhand.Runtime, loc skill.Location, args []string, allowErrors bool) Result {
	file := filepath.Join(loc.Main().Folder, "tests", "page.txtar")
	failed := func(err error) Result {
		return Result{Skill: loc.Name, File: file, Checks: []Check{}, Error: err.Error()}
	}
	if _, err := os.Lstat(file); err == nil {
		return failed(errors.New("already exists; remove it to record the page again"))
	}
	scratch, err := os.MkdirTemp("", "skillhand-test-")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(scratch)
	archive, err := record(ctx, rt, loc, args, allowErrors, scratch)
	if err != nil {
		return failed(err)
	}
	draft := filepath.Join(scratch, "page.txtar")
	if err := os.WriteFile(draft, txtar.Format(archive), 0o600); err != nil {
		return failed(err)
	}
	rt.Env = skillhand.SafeEnv(rt.Env)
	r := Run(ctx, rt, loc, draft, Options{Update: true, AllowErrors: allowErrors})
	r.File = file
	if !r.OK {
		return r
	}
	text, err := os.ReadFile(draft)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o777)
	}
	if err == nil {
		err = files.Write(file, text, 0o644)
	}
	if err != nil {
		return failed(err)
	}
	return r
}

// record loads the skill in rt's folder and returns a test of that load. The page in the test is
// still empty. The recording is written to the folder scratch first.
func record(
	ctx context.Context, rt skillhand.Runtime, loc skill.Location, args []string, allowErrors bool, scratch string,
) (*txtar.Archive, error) {
	if slices.ContainsFunc(args, func(arg string) bool { return strings.Contains(arg, "\n") }) {
		return nil, errors.New("an argument with a newline does not fit into the section argv; write the test by hand, with a section args")
	}
	recording := filepath.Join(scratch, "recording.json")
	page, err := rt.Load(ctx, skillhand.LoadRequest{
		Skill: files.Real(loc.Folder), Args: render.JoinArgs(args), Use: skillhand.Full, Recording: recording,
	})
	if err != nil {
		return nil, err
	}
	page.Close()
	if err := refused(&rt, page); err != nil {
		return nil, err
	}
	if failed := page.Failed(); len(failed) > 0 && !allowErrors {
		return nil, fmt.Errorf("not written: the page has errors: %s\nfix the directive, or run this where the skill works; "+
			"--allow-errors keeps the errors", term.Flat(strings.Join(failed, "; ")))
	}
	a := &txtar.Archive{Comment: fmt.Appendf(nil, "The page of %s, from what its directives printed when this was recorded.\n", loc.Name)}
	if len(args) > 0 {
		a.Files = append(a.Files, txtar.File{Name: "argv", Data: []byte(strings.Join(args, "\n") + "\n")})
	}
	if len(page.Directives) > 0 {
		text, err := os.ReadFile(recording)
		if err != nil {
			return nil, err
		}
		a.Files = append(a.Files, txtar.File{Name: "recording.json", Data: []byte(line(string(text)))})
	}
	a.Files = append(a.Files, txtar.File{Name: "page"})
	return a, nil
}
