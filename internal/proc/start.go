package proc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

func start(c *Cmd, s *streams) (*tree, error) {
	if c.name() == "" {
		return nil, errors.New("no program to run")
	}
	for _, text := range slices.Concat(c.Args, c.Env) {
		if strings.IndexByte(text, 0) >= 0 {
			return nil, &fault{c.name(), "an argument or variable contains a NUL byte", []error{syscall.EINVAL}}
		}
	}
	if err := checkDir(c.Dir); err != nil {
		return nil, err
	}
	env := (&exec.Cmd{Dir: c.Dir, Env: c.Env}).Environ()
	path, err := find(c.name(), c.Dir, env)
	if err != nil {
		return nil, err
	}
	for wait := time.Millisecond; ; wait *= 2 {
		t, err := startTree(&exec.Cmd{
			Path: path, Args: c.Args, Dir: c.Dir, Env: env,
			Stdin: s.child[0], Stdout: s.child[1], Stderr: s.child[2],
		})
		// A program that was just written is busy for a moment if another goroutine forked a child
		// in between: that child still has the file open.
		if !errors.Is(err, syscall.ETXTBSY) || wait > 256*time.Millisecond {
			return t, refused(c, path, err)
		}
		time.Sleep(wait)
	}
}

// A fault says why a program could not be started: the thing, then what is wrong with it.
type fault struct {
	thing, text string
	is          []error
}

func (f *fault) Error() string   { return f.thing + ": " + f.text }
func (f *fault) Unwrap() []error { return f.is }

// ErrInterpreter says that the program on a script's first line does not exist.
var ErrInterpreter = errors.New("bad interpreter")

func checkDir(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "chdir", Path: dir, Err: syscall.ENOTDIR}
	}
	if err == nil && !mayEnter(dir) {
		err = &fs.PathError{Op: "chdir", Path: dir, Err: fs.ErrPermission}
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return &fault{dir, "no such folder", []error{err}}
	case errors.Is(err, syscall.ENOTDIR):
		return &fault{dir, "not a folder", []error{err}}
	}
	return &fault{dir, reason(err), []error{err}}
}

// Find returns the path by which Run would start a program in a folder and an environment. The path
// is absolute for a name in PATH. Its errors are those of Run.
func Find(name, dir string, env []string) (string, error) {
	path, err := find(name, dir, (&exec.Cmd{Dir: dir, Env: env}).Environ())
	if err != nil {
		return "", err
	}
	return filepath.Abs(in(dir, path))
}

// find returns the path by which the program is started in dir.
func find(name, dir string, env []string) (string, error) {
	if strings.ContainsRune(name, '/') || filepath.Base(name) != name {
		path, err := runnable(name, dir)
		switch {
		case err == nil:
			return path, nil
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, exec.ErrNotFound):
			return "", &fault{name, "no such file", []error{err, fs.ErrNotExist}}
		case errors.Is(err, syscall.EISDIR):
			return "", &fault{name, "is a folder", []error{err, fs.ErrPermission}}
		}
		return "", &fault{name, reason(err), []error{err}}
	}
	missing := &fault{name, "not found in PATH", []error{exec.ErrNotFound, fs.ErrNotExist}}
	for _, d := range filepath.SplitList(variable(env, "PATH")) {
		if d == "" {
			d = "."
		}
		path, err := runnable(d+string(filepath.Separator)+name, dir)
		if err == nil {
			return path, nil
		}
		if errors.Is(err, fs.ErrPermission) {
			missing = &fault{name, "permission denied", []error{err}}
		}
	}
	return "", missing
}

// variable returns a variable's value in env, where each variable occurs once.
func variable(env []string, name string) string {
	for _, kv := range env {
		k, v, _ := strings.Cut(kv, "=")
		if k == name || runtime.GOOS == "windows" && strings.EqualFold(k, name) {
			return v
		}
	}
	return ""
}

// refused returns why the system did not start the program at path.
func refused(c *Cmd, path string, err error) error {
	name := c.name()
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.E2BIG):
		return &fault{name, "argument list too long", []error{err}}
	case errors.Is(err, syscall.ENOEXEC):
		return &fault{name, "not executable: neither a program nor a script with a #! line", []error{err}}
	case errors.Is(err, fs.ErrNotExist):
		// The file existed a moment ago, so its interpreter is missing. For callers that is a
		// broken program, not a missing one.
		if err := checkDir(c.Dir); err != nil {
			return err
		}
		return &fault{name, ErrInterpreter.Error() + ": " + interpreter(in(c.Dir, path)), []error{syscall.ENOEXEC, ErrInterpreter}}
	}
	return &fault{name, reason(err), []error{err}}
}

// interpreter returns the name of a script's interpreter.
func interpreter(path string) string {
	const elsewhere = "the one it was built for is missing"
	f, err := os.Open(path)
	if err != nil {
		return elsewhere
	}
	defer f.Close()
	line, _ := bufio.NewReader(io.LimitReader(f, 256)).ReadBytes('\n')
	line, script := bytes.CutPrefix(line, []byte("#!"))
	if words := bytes.Fields(bytes.TrimRight(line, "\n")); script && len(words) > 0 {
		if bytes.HasSuffix(line, []byte("\r\n")) {
			return string(words[0]) + ", with a carriage return: the script has CRLF line ends"
		}
		return string(words[0])
	}
	return elsewhere
}

// reason returns the reason in an error of the os package, without the path.
func reason(err error) string {
	if errors.Is(err, fs.ErrPermission) {
		return "permission denied"
	}
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return e.Error()
	}
	return err.Error()
}

// in returns the path of a file for us that a program in dir finds at path.
func in(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
