package migrate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/proc"
	"github.com/skillhand/skillhand/internal/words"
	"github.com/skillhand/skillhand/report"
)

// verifyTimeout is how long a script may run to be verified.
const verifyTimeout = 30 * time.Second

// verify runs a script as it was and as it becomes, each in a copy of its skill's folder. If the
// two runs disagree, the script is not changed.
func (m *migration) verify(ctx context.Context, f *Migrated) error {
	if m.migration.Trusted != nil {
		if err := m.migration.Trusted(f.Path); err != nil {
			return fmt.Errorf("not verified: %w", err)
		}
	}
	// The script is alone in a copy of its folder, with no file to source, so the code is put into
	// it.
	inline, err := Script(f.Result.Path, f.Edit.Before, Options{Bash: m.migration.Bash, Inline: true})
	if err != nil {
		return err
	}
	before, err := runCopy(ctx, m.migration.Env, f.Path, f.Edit.Before)
	if err != nil {
		return err
	}
	after, err := runCopy(ctx, m.migration.Env, f.Path, inline.After)
	if err != nil {
		return err
	}
	if before.result.Cut != proc.Not || after.result.Cut != proc.Not {
		f.Result = Result{Path: f.Result.Path, Status: LeftAlone,
			Reason: fmt.Sprintf("not verified: it did not end within %s", verifyTimeout)}
		return nil
	}
	if text := bytes.TrimSpace(before.stdout.Bytes()); len(text) > 0 && (text[0] == '{' || text[0] == '[') && json.Valid(text) {
		f.Result = Result{Path: f.Result.Path, Status: LeftAlone, Reason: "it prints JSON already"}
		return nil
	}
	return compareRuns(before, after)
}

// compareRuns returns the first difference that matters. The new script must report what
// report.Parse reads in the output of the old script.
func compareRuns(before, after scriptRun) error {
	if before.result.Exit != after.result.Exit {
		return fmt.Errorf("verify: exit status %d before, %d after: nothing was written", before.result.Exit, after.result.Exit)
	}
	r := report.Parse(after.stdout.Bytes(), report.Options{NoLegacy: true, Strict: true})
	if r.Report == nil || bytes.Count(after.stdout.Bytes(), []byte("\n")) != 1 {
		return errors.New("verify: stdout is not a single report: nothing was written")
	}
	if err := compareReports(report.Parse(before.stdout.Bytes(), report.Options{}), before.result.Exit, r.Report); err != nil {
		return fmt.Errorf("verify: %w: nothing was written", err)
	}
	have := map[string]bool{}
	for line := range bytes.Lines(after.stderr.Bytes()) {
		have[withoutNumbers(line)] = true
	}
	for line := range bytes.Lines(before.stderr.Bytes()) {
		if line := withoutNumbers(line); !have[line] {
			return fmt.Errorf("verify: %q is no longer on stderr: nothing was written", line)
		}
	}
	return nil
}

// compareReports returns how a script's report differs from what the script's text said before.
func compareReports(said report.Result, exit int, now *report.Report) error {
	was := report.Report{Success: true, Confidence: 0.5}
	if said.Report != nil {
		was = *said.Report
	}
	was.Success = exit == 0 && (!said.Stated || was.Success)
	errs := slices.DeleteFunc(slices.Clone(now.Errors), func(e report.Error) bool { return e.Code != report.LegacyError })
	switch {
	case was.Success != now.Success:
		return fmt.Errorf("success is %v, its text said %v", now.Success, was.Success)
	case was.Confidence != now.Confidence:
		return fmt.Errorf("confidence is %v, its text said %v", now.Confidence, was.Confidence)
	case !slices.Equal(was.Deliverables, now.Deliverables):
		return fmt.Errorf("deliverables are %q, its text said %q", now.Deliverables, was.Deliverables)
	case !slices.EqualFunc(was.Errors, errs, func(a, b report.Error) bool { return a.Message == b.Message }):
		return fmt.Errorf("errors are %v, its text said %v", messages(errs), messages(was.Errors))
	}
	return nil
}

func messages(errs []report.Error) (all []string) {
	for _, e := range errs {
		all = append(all, e.Message)
	}
	return all
}

var digits = words.Regexp(`[0-9]+`)

// withoutNumbers returns a line without the numbers that differ from run to run: times, process
// ids, the script's lines.
func withoutNumbers(line []byte) string {
	return digits.Get().ReplaceAllString(strings.TrimRight(string(line), "\r\n"), "0")
}

type scriptRun struct {
	result         proc.Result
	stdout, stderr bytes.Buffer
}

// runCopy runs a script with the given text in a copy of its skill's folder.
func runCopy(ctx context.Context, env []string, file string, text []byte) (scriptRun, error) {
	var r scriptRun
	scratch, err := os.MkdirTemp("", "skillhand-verify-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(scratch)
	folder := skillFolder(file)
	rel, err := filepath.Rel(folder, file)
	if err != nil {
		return r, err
	}
	if err := copyTree(folder, scratch); err != nil {
		return r, err
	}
	script := filepath.Join(scratch, rel)
	if err := os.WriteFile(script, text, 0o777); err != nil {
		return r, err
	}
	c := proc.Cmd{Args: []string{"bash", script}, Dir: scratch, Env: env, Timeout: verifyTimeout, MaxOutput: 16 << 20,
		Stdout: &r.stdout, Stderr: &r.stderr}
	if r.result, err = proc.Run(ctx, c); err != nil {
		return r, err
	}
	for _, b := range []*bytes.Buffer{&r.stdout, &r.stderr} {
		plain := bytes.ReplaceAll(b.Bytes(), []byte(scratch), []byte("SCRATCH"))
		b.Reset()
		b.Write(plain)
	}
	return r, nil
}

// skillFolder returns the folder of the skill that a file belongs to, or the file's own folder.
func skillFolder(file string) string {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "SKILL.md")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return filepath.Dir(file)
		}
	}
}
