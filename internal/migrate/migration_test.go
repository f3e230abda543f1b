package migrate_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/migrate"
)

const old = "#!/bin/bash\necho \"Created: a\"\n"

// write makes the files of a tree in a new folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func statuses(done *migrate.Done) string {
	var all []string
	for _, f := range done.Files {
		all = append(all, string(f.Status)+" "+filepath.Base(f.Path))
	}
	return strings.Join(all, ", ")
}

func TestRun(t *testing.T) {
	dir := write(t, map[string]string{"skills/one/execute.sh": old, "skills/two/execute.sh": old})
	one := filepath.Join(dir, "skills", "one", "execute.sh")
	for _, tt := range []struct {
		name string
		how  migrate.Migration
		path string
		want string
	}{
		{"a dry run writes nothing", migrate.Migration{DryRun: true}, "skills",
			"changed execute.sh, changed skillhand-report.bash, changed execute.sh"},
		{"one file of a tree", migrate.Migration{}, "skills/one", "changed execute.sh, changed skillhand-report.bash"},
		{"the other one", migrate.Migration{}, "skills/two", "changed execute.sh, changed skillhand-report.bash"},
		{"twice is once", migrate.Migration{}, "skills", "unchanged execute.sh, unchanged execute.sh"},
		{"no such file", migrate.Migration{}, "nowhere", "failed nowhere"},
	} {
		files, err := tt.how.Run(t.Context(), []string{filepath.Join(dir, tt.path)})
		if err != nil || statuses(files) != tt.want {
			t.Errorf("%s: %s, %v, want %s", tt.name, statuses(files), err, tt.want)
		}
		text, err := os.ReadFile(one)
		if err != nil || tt.how.DryRun && string(text) != old {
			t.Errorf("%s: %s is now %q, %v", tt.name, one, text, err)
		}
	}
	backups, err := filepath.Glob(one + ".bak-*")
	if err != nil || len(backups) != 1 {
		t.Fatalf("backups: %q, %v", backups, err)
	}
	if text, err := os.ReadFile(backups[0]); err != nil || string(text) != old {
		t.Errorf("backup: %q, %v", text, err)
	}
}

// TestReaders: a file that names no script in one piece may still read one.
func TestReaders(t *testing.T) {
	elsewhere := write(t, map[string]string{"settings.json": `{"statusLine": {"type": "command", "command": "~/x/line.sh"}}`})
	for name, text := range map[string]string{
		"run.py":        `subprocess.run(["bash", f"scripts/{name}.sh"])`,
		"settings.json": `{"command": "run-parts scripts/parts"}`,
		"hooks.json":    `{"command": "scripts/execute\u002esh"}`,
		"none.json":     `{"other": "scripts"}`,
	} {
		dir := write(t, map[string]string{"scripts/parts/execute.sh": old, "scripts/execute.sh": old, "scripts/line.sh": old, name: text})
		files, err := migrate.Migration{
			DryRun:      true,
			TreeOptions: migrate.TreeOptions{Options: migrate.Options{Inline: true}},
			Env:         []string{"CLAUDE_CONFIG_DIR=" + elsewhere},
		}.Run(t.Context(), []string{dir})
		want := map[string]string{
			"run.py":        "left-alone execute.sh, left-alone line.sh, left-alone execute.sh",
			"settings.json": "changed execute.sh, left-alone line.sh, left-alone execute.sh",
			"hooks.json":    "left-alone execute.sh, left-alone line.sh, changed execute.sh",
			"none.json":     "changed execute.sh, left-alone line.sh, changed execute.sh",
		}[name]
		if err != nil || statuses(files) != want {
			t.Errorf("%s: %s, %v, want %s", name, statuses(files), err, want)
		}
	}
}

// TestReasons: a reason names another file by its whole path, in any place below the folder that
// was named.
func TestReasons(t *testing.T) {
	dir := write(t, map[string]string{"deep/in/execute.sh": old, "deep/in/reader.sh": "#!/bin/bash\nx=$(bash execute.sh)\necho SUCCESS\n"})
	done, err := migrate.Migration{DryRun: true}.Run(t.Context(), []string{filepath.Join(dir, "deep", "in")})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range done.Files {
		want := filepath.Join(dir, "deep", "in", "reader.sh") + ":2 reads what it prints"
		if filepath.Base(f.Path) == "execute.sh" && f.Reason != want {
			t.Errorf("the reason is %q, want %q", f.Reason, want)
		}
	}
}

// TestNoReportFile: if the file that scripts source cannot be written, no script is changed.
func TestNoReportFile(t *testing.T) {
	dir := write(t, map[string]string{"execute.sh": old})
	if err := os.Symlink("nowhere", filepath.Join(dir, migrate.ReportFile)); err != nil {
		t.Skip(err)
	}
	files, err := migrate.Migration{NoBackup: true}.Run(t.Context(), []string{dir})
	if want := "left-alone execute.sh, failed skillhand-report.bash"; err != nil || statuses(files) != want {
		t.Errorf("%s, %v, want %s", statuses(files), err, want)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "execute.sh")); err != nil || string(text) != old {
		t.Errorf("execute.sh is now %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "nowhere")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the link was followed: %v", err)
	}
}

func TestInterrupted(t *testing.T) {
	dir := write(t, map[string]string{"execute.sh": old})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (migrate.Migration{}).Run(ctx, []string{dir}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "execute.sh")); err != nil || string(text) != old {
		t.Errorf("execute.sh is now %q, %v", text, err)
	}
}

// TestRepository: a user who names a repository means its skills. A user who names a folder in it
// means the folder.
func TestRepository(t *testing.T) {
	dir := write(t, map[string]string{
		".git/HEAD": "", "skills/one/SKILL.md": "---\nname: one\n---\nRun it.\n", "skills/one/run.sh": old, "skills/lib/shared.sh": old,
		"tests/all.sh": old, "plugin/two/SKILL.md": "Run it.\n", "plugin/two/bin/two.sh": old,
	})
	const skills = "changed two.sh, changed skillhand-report.bash, changed skillhand-report.bash, changed shared.sh, " +
		"changed run.sh, changed skillhand-report.bash" // one for each skill that can be copied, one for the rest
	for _, tt := range []struct{ paths, want string }{
		{".", skills + ", left-alone all.sh"},
		{"tests", "changed all.sh, changed skillhand-report.bash"},
		{". tests", skills + ", changed all.sh"},
		{"tests/all.sh", "changed all.sh, changed skillhand-report.bash"},
	} {
		var paths []string
		for p := range strings.FieldsSeq(tt.paths) {
			paths = append(paths, filepath.Join(dir, p))
		}
		done, err := migrate.Migration{DryRun: true}.Run(t.Context(), paths)
		if err != nil || statuses(done) != tt.want {
			t.Errorf("%s: %s, %v, want %s", tt.paths, statuses(done), err, tt.want)
		}
		if tt.paths != "." {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, ".git")); err != nil { // an export of the repository
			t.Fatal(err)
		}
		if done, err := (migrate.Migration{DryRun: true}).Run(t.Context(), paths); err != nil || statuses(done) != tt.want {
			t.Errorf("without .git: %s, %v, want %s", statuses(done), err, tt.want)
		}
		if err := os.Mkdir(filepath.Join(dir, ".git"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
}
