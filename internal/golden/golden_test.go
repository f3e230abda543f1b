//go:build unix

package golden_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/golden"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/skill"
)

const (
	page = "---\ndescription: d\n---\nDear $0, it is !`date`.\n"
	// script copies in.txt, which the test provides, and reports the number of its arguments.
	script = "#!/bin/sh\ncp in.txt out.txt\n" +
		"echo \"{\\\"success\\\":true,\\\"confidence\\\":1,\\\"deliverables\\\":[\\\"out.txt\\\"],\\\"metrics\\\":{\\\"n\\\":$#},\\\"errors\\\":[]}\"\n"
	recording = "-- recording.json --\n{\"version\": 1, \"skill\": \"card\", \"arguments\": " +
		"\"Ada\", \"directives\": [{\"command\": \"date\", \"how\": \"shell\", \"exit\": 0, \"stdout\": \"today\\n\"}]}\n"
	given  = "-- args --\nAda\n" + recording
	brings = "-- argv --\none two\nthree\n-- folder/in.txt --\nhello\n"
)

// run runs one archive as a test of a skill, and returns the archive as it is afterwards.
func run(t *testing.T, skillText, archive string, update bool) (golden.Result, string) {
	t.Helper()
	dir := t.TempDir()
	folder := filepath.Join(dir, ".claude/skills/card")
	for name, text := range map[string]string{"SKILL.md": skillText, "execute.sh": script, "tests/it.txtar": archive} {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	rt := skillhand.Runtime{Here: here.Here{Dir: dir, State: t.TempDir(),
		Env: here.Env{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "SKILLHAND_TRUST=all"}}}
	h, err := rt.Complete()
	if err != nil {
		t.Fatal(err)
	}
	rt.Here = h
	loc := skill.Location{Name: "card", File: filepath.Join(folder, "SKILL.md"), Folder: folder}
	files := golden.Find(loc)
	if len(files) != 1 {
		t.Fatalf("%q", files)
	}
	r := golden.Run(t.Context(), rt, loc, files[0], golden.Options{Update: update})
	after, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return r, string(after)
}

// told describes a result in a few words.
func told(r golden.Result) string {
	text := ""
	for _, c := range r.Checks {
		text += fmt.Sprintf("%s %v\n", c.Name, c.OK)
		for line := range strings.Lines(c.Diff) {
			if !strings.HasPrefix(line, "@@") && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "diff ") &&
				!strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "+++") {
				text += strings.TrimRight(line, "\n") + "\n"
			}
		}
	}
	return text + r.Error
}

func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

// TestRun covers tests that pass, tests that differ and how, and files that are not tests.
func TestRun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, skill, archive, want string }{
		{"a page", page, given + "-- page --\nDear Ada, it is today.\n", "page true\n"},
		{"another page", page, given + "-- page --\nDear Bob, it is today.\n",
			"page false\n-Dear Bob, it is today.\n+Dear Ada, it is today.\n"},
		{"a page and a file", page, brings + "-- files/out.txt --\nhello\n", "files/out.txt true\n"},
		{"another file", page, brings + "-- files/out.txt --\nbye\n", "files/out.txt false\n-bye\n+hello\n"},
		{"no such file", page, brings + "-- files/gone.txt --\n", "files/gone.txt false\ngone.txt was not created\n"},
		{"a verdict", page, brings + "-- verdict.json --\n{\"report\": {\"metrics\": {\"n\": 2}}, \"ok\": true}\n", "verdict.json true\n"},
		{"another verdict", page, brings + "-- verdict.json --\n{\"ok\": false}\n",
			"verdict.json false\n-  \"ok\": false\n+  \"ok\": true\n"},
		{"an empty verdict", page, brings + "-- verdict.json --\n",
			"verdict.json false\n-- verdict.json --: empty: fill it with skillhand test --update\n"},
		{"checked out with CRLF", crlf(page), crlf(given + "-- page --\nDear Ada, it is today.\n"), "page true\n"},
		{"the test alone with CRLF", page, crlf(given + "-- page --\nDear Ada, it is today.\n"), "page true\n"},
		{"a file with CRLF", page, "-- folder/in.txt --\nhello\r\n-- files/out.txt --\nhello\n", "files/out.txt false\n-hello\n+hello\r\n"},
		{"nothing", page, "",
			"there is nothing to compare: add a section page, later, verdict.json or files/NAME, and fill it with skillhand test --update"},
		{
			"a section of another name", page, "-- pages --\n-- page --\n",
			"-- pages --: want args, argv, recording.json, folder/…, page, later, verdict.json or files/…",
		},
		{"twice", page, "-- page --\n-- page --\n", "-- page --: given twice"},
		{
			"out of the folder", page, "-- folder/../x --\n-- files//etc/x --\n-- page --\n",
			"-- folder/../x --: is outside the folder\n-- files//etc/x --: is outside the folder",
		},
		{
			"a key that no verdict has", page, "-- verdict.json --\n{\"okay\": true}\n",
			"-- verdict.json --: unknown key okay: want ok, report, exit_code, duration_ms, parse_method, problems, warnings",
		},
		{"no verdict", page, "-- verdict.json --\n[]\n", "-- verdict.json --: not an object"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, after := run(t, tt.skill, tt.archive, false)
			if got := told(r); got != tt.want || r.OK != (!strings.Contains(got, "false") && r.Error == "") || r.Updated ||
				after != tt.archive {
				t.Errorf("%+v:\n%s\nwant\n%s\nand the file as it was:\n%s", r, got, tt.want, after)
			}
		})
	}
	t.Run("a file where a folder is", func(t *testing.T) {
		t.Parallel()
		if r, _ := run(t, page, "-- folder/a --\n-- folder/a/b --\n-- page --\n", false); !strings.HasPrefix(r.Error,
			"-- folder/a/b --: ") {
			t.Error(r.Error)
		}
	})
}

// TestUpdate checks that a file is rewritten so that it wants the actual content. It keeps its
// inputs and the selected keys, and then passes.
func TestUpdate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, archive, want string }{
		{"a page", "Why.\n" + given + "-- page --\n", "Why.\n" + given + "-- page --\nDear Ada, it is today.\n"},
		{"what of the verdict was named", brings + "-- verdict.json --\n{\"ok\": false}\n",
			brings + "-- verdict.json --\n{\n  \"ok\": true\n}\n"},
		{"with CRLF", crlf(given + "-- page --\nDear Bob\n"), crlf(given + "-- page --\nDear Ada, it is today.\n")},
		{"a file", brings + "-- files/out.txt --\n", brings + "-- files/out.txt --\nhello\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, after := run(t, page, tt.archive, true)
			if !r.OK || !r.Updated || after != tt.want {
				t.Errorf("%+v:\n%s\nwant\n%s", r, after, tt.want)
			}
			if r, again := run(t, page, after, true); !r.OK || r.Updated || again != after {
				t.Errorf("once more: %+v\n%s", r, again)
			}
		})
	}
	t.Run("what was not made", func(t *testing.T) {
		t.Parallel()
		archive := brings + "-- files/gone.txt --\n"
		if r, after := run(t, page, archive, true); r.OK || r.Updated || after != archive {
			t.Errorf("%+v\n%s", r, after)
		}
	})
}
