package bind_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/shell"
	"github.com/skillhand/skillhand/internal/test"
)

// TestMay checks which lines of a trusted skill would run a file of an untrusted project.
func TestMay(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project, own := filepath.Join(base, "project"), filepath.Join(base, "skill")
	for _, file := range []string{
		"project/run.sh", "project/exe.sh", "project/x.py", "project/README.md", "project/package.json", "project/src/a", "project/test/a",
		"project/scripts/build.sh", "skill/own.sh", ".profile",
	} {
		file = filepath.Join(base, file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, nil, 0o777)); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile("testdata/untrusted.txt")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(project) // for /proc/self/cwd
	s := shell.Shell{Dir: project, Env: append(os.Environ(), "PWD="+project, "HOME="+base), MayRun: func(path string) error {
		if path == project || strings.HasPrefix(path, project+"/") {
			return errors.New("not trusted")
		}
		return nil
	}}
	for line := range strings.Lines(string(text)) {
		sign, command, ok := strings.Cut(strings.TrimSpace(line), " ")
		if _, err := os.Stat("/proc/self/cwd"); !ok || sign == "#" || err != nil && strings.Contains(command, "/proc/") {
			continue
		}
		command = strings.ReplaceAll(command, "␤", "\n")
		if err := s.May(test.Line(command, []string{"build"}, own)); (err != nil) != (sign == "-") {
			t.Errorf("%s: %v", command, err)
		}
	}
}

// TestMayLink checks that an untrusted folder chooses where its links lead, wherever they lead now.
func TestMayLink(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(base, "project")
	if err := os.MkdirAll(filepath.Join(project, "src"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"project/tool": "/bin/ls", "project/bin": "/bin", "out": "/bin/ls", "project/loop": "loop",
		"project/log": base + "/log", "project/near": "src/log", "project/elsewhere": base} {
		if err := os.Symlink(target, filepath.Join(base, name)); err != nil {
			t.Fatal(err)
		}
	}
	s := shell.Shell{Dir: project, MayRun: func(path string) error {
		if path == project || strings.HasPrefix(path, project+"/") {
			return errors.New("not trusted")
		}
		return nil
	}}
	for command, runs := range map[string]bool{
		"./tool": false, "./bin/ls": false, "bin/../bin/ls": false, "src/../tool": false, "env ./tool": false,
		"echo x > log": false, "cat log": false, "cp f elsewhere/": false, "echo x > elsewhere/new/file": false,
		"tee --output=log": false, "cd elsewhere": false,
		"echo x > near": true, "echo x > src/new": true, "echo log": true, "git log": true, "cat ../out": true,
		"echo x > " + base + "/log": true,
		"/bin/ls":                   true, "../out": true, base + "/out": true, "./loop": true, "./nowhere": true,
	} {
		if err := s.May(shell.Line{Parts: []shell.Part{{Text: command}}}); (err == nil) != runs {
			t.Errorf("%s: %v", command, err)
		}
	}
}
