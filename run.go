package skillhand

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/proc"
	"github.com/skillhand/skillhand/internal/words"
	"github.com/skillhand/skillhand/report"
	"github.com/skillhand/skillhand/report/verdict"
)

// A RunRequest names a script to run. Only Script is required.
type RunRequest struct {
	Script  string        // a skill's name, plugin:name, the path of its folder, or the path of a script
	Args    []string      // the script's
	Cwd     string        // the folder that it runs in; deliverables are relative to it; "" means the runtime's folder
	Timeout time.Duration // 0 means 10 minutes
	Job     Job           // the batch job that runs it, if any
}

const (
	defaultRunTimeout = 10 * time.Minute
	// How long a script may clean up when it is stopped.
	tidyUp = 2 * time.Second
	// How long a process that still writes to the script's output may be silent.
	silence = time.Second
	// How much of stderr's end is kept: it says why a script failed.
	keptStderr = 8 << 10
)

// Run runs a skill's script, reads its report and compares it with what happened. The verdict
// contains no secrets from the environment. An error means that nothing ran, and says what to do.
func (rt *Runtime) Run(ctx context.Context, req RunRequest) (*verdict.Verdict, error) {
	began := time.Now()
	if req.Timeout == 0 {
		req.Timeout = defaultRunTimeout
	}
	p, err := rt.at(req.Script)
	if err != nil {
		return nil, err
	}
	cwd := p.Dir
	if req.Cwd != "" {
		cwd = files.In(p.Dir, req.Cwd)
	}
	if err := files.CheckFolder(cwd); err != nil {
		return nil, err
	}
	script, err := p.script(req.Script)
	if err != nil {
		return nil, err
	}
	// Run the file that was judged, even if a link changes in the meantime.
	real, err := filepath.EvalSymlinks(script)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", script, files.Cause(err))
	}
	err = p.policy.Allow(ctx, real, func() []string { return []string{strings.Join(append([]string{script}, req.Args...), " ")} })
	if err == nil {
		err = p.policy.Run(real)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", script, err)
	}
	// Files that existed before the script are older than began. Files that it makes are not.
	time.Sleep(verdict.ClockTick - time.Since(began))
	stdout, said := &verdict.Output{}, &verdict.Output{Max: keptStderr}
	stderr := p.hide.Writer(io.MultiWriter(said, &bystander{to: rt.Stderr}))
	result, err := proc.Run(ctx, proc.Cmd{
		Args: append([]string{real}, req.Args...), Dir: cwd, Env: p.Env,
		Stdin: rt.Stdin, Stdout: stdout, Stderr: stderr,
		Timeout: req.Timeout, Grace: []proc.Step{{Signal: proc.Terminate, Wait: tidyUp}}, Silence: silence,
	})
	if err != nil {
		return nil, p.notStarted(script, req, err)
	}
	_ = stderr.Close() // a bystander never fails
	if result.Held && ctx.Err() != nil {
		result.Cut = proc.Canceled // the script had ended, but its last output was cut off
	}
	v := verdict.Judge(stdout.Parse(), verdict.Run{Result: result, Timeout: req.Timeout, Stderr: said.String()})
	v.Script = script
	v.Verify(ctx, cwd, began)
	if v.Method == report.None {
		v.Printed = verdict.LastLines(p.hide.Text(stdout.String())) // hide first: half a secret is not recognized
	}
	if !v.OK {
		v.Stderr = said.String()
	}
	hideInVerdict(p.hide, v)
	p.rememberRun(cwd, req, v)
	return v, nil
}

// script returns the script file that a name or path refers to.
func (e *environment) script(name string) (string, error) {
	path := files.In(e.Dir, name)
	info, err := os.Stat(path)
	isPath := files.Is(name)
	switch {
	case isPath && err != nil:
		return "", fmt.Errorf("%s: %w", name, files.Cause(err))
	case isPath && info.IsDir():
		return scriptIn(path)
	case isPath && filepath.Ext(path) != ".md":
		return path, nil
	}
	loc, ferr := e.finder().Look(name)
	if errors.Is(ferr, fs.ErrNotExist) && err == nil {
		if info.Mode().IsRegular() {
			return path, nil // no skill has this name, but a file here does
		}
		if _, err := scriptIn(path); err == nil {
			return "", fmt.Errorf("%s: no such skill: did you mean ./%s?", name, name)
		}
	}
	if ferr != nil {
		return "", ferr
	}
	if note := loc.Note(); note != "" {
		e.rt.warn(note)
	}
	if loc.Command {
		return "", fmt.Errorf("%s: a command, and commands have no script", loc.File)
	}
	// The text may be in a companion folder. Scripts never are.
	return scriptIn(loc.Folder, loc.Main().Folder)
}

// notScripts are endings of files that may share a script's name.
var notScripts = []string{".md", ".txt", ".json", ".yaml", ".yml", ".log", ".bak", ".orig", ".old", ".tmp", ".swp", ".pyc"}

func scriptIn(folders ...string) (string, error) {
	for _, folder := range folders {
		for _, dir := range []string{folder, filepath.Join(folder, "scripts")} {
			entries, _ := os.ReadDir(dir) // a folder that does not exist has no scripts
			var all, executable []string
			for _, e := range entries {
				extension, ok := strings.CutPrefix(e.Name(), "execute")
				if !ok || extension != filepath.Ext(extension) || slices.Contains(notScripts, extension) || strings.HasSuffix(extension, "~") {
					continue
				}
				file := filepath.Join(dir, e.Name())
				info, err := os.Stat(file)
				if err != nil || !info.Mode().IsRegular() {
					continue
				}
				if !files.Inside(files.Real(folder), files.Real(file)) {
					return "", fmt.Errorf("%s: links to %s, outside its skill's folder", file, files.Real(file))
				}
				all = append(all, e.Name())
				if info.Mode()&0o111 != 0 {
					executable = append(executable, e.Name())
				}
			}
			if len(executable) == 0 {
				executable = all // the error will say what is wrong with it
			}
			switch len(executable) {
			case 0:
				continue
			case 1:
				return filepath.Join(dir, executable[0]), nil
			}
			return "", fmt.Errorf("%s: several scripts, %s: name one by its path", dir, strings.Join(executable, ", "))
		}
	}
	return "", &noScript{folders[0]}
}

// A noScript error says that a skill has no script. It counts as missing.
type noScript struct{ folder string }

func (e *noScript) Error() string {
	return e.folder + ": no script here: want execute.* or scripts/execute.*"
}

func (e *noScript) Unwrap() error { return fs.ErrNotExist }

func (e *environment) notStarted(script string, req RunRequest, err error) error {
	info, serr := os.Stat(script)
	passive := serr == nil && info.Mode()&0o111 == 0 && runtime.GOOS != "windows"
	switch {
	case passive && !strings.HasPrefix(scriptText(script), "#!"):
		return fmt.Errorf("%s: not a script: it is not executable, and does not begin with #!%s", script, e.swapped(req))
	case passive:
		return fmt.Errorf("%s: not executable (chmod +x %s)", script, words.Quote(script))
	case errors.Is(err, proc.ErrInterpreter) && strings.Contains(scriptText(script), "\r\n"):
		return fmt.Errorf("%w (save it with LF line ends)", err)
	case errors.Is(err, proc.ErrInterpreter):
		return fmt.Errorf("%w (install it, or correct the first line of the script)", err)
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("%w (start it with a line such as #!/usr/bin/env bash)", err)
	}
	return err
}

// swapped returns a hint if the first argument is a skill: the two words may be swapped.
func (e *environment) swapped(req RunRequest) string {
	if len(req.Args) == 0 || files.Is(req.Args[0]) {
		return ""
	}
	if _, err := e.finder().Look(req.Args[0]); err != nil {
		return ""
	}
	return fmt.Sprintf("; did you mean skillhand run %s %s?", req.Args[0], words.Quote(req.Script))
}

// A bystander passes on what is written to it while that works. A full disk behind a log must not
// stop a script halfway.
type bystander struct{ to io.Writer }

func (b *bystander) Write(p []byte) (int, error) {
	if b.to != nil {
		if _, err := b.to.Write(p); err != nil {
			b.to = nil
		}
	}
	return len(p), nil
}
