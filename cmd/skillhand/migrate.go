package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/migrate"
)

type migrateOptions struct {
	migrate.TreeOptions
	skillPaths, skillDirs                      []string
	dryRun, diff, verbose, json, plain, verify bool
}

func newMigrate(std *stdio) *cobra.Command {
	var o migrateOptions
	cmd := &cobra.Command{
		Use:   "migrate PATH...",
		Short: "Upgrade old skills to the current format",
		Long: `Upgrade skills to the current format, changing only what must change:

  bash scripts that print text  print one JSON report, however they end
  bindings.json, handler.sh     become directives in the skill's text
  first-use.md                  gets <skill> and <output> sections

What cannot be changed safely is left alone and named, with its line and why:
libraries, scripts whose output is read, scripts that print JSON already. PATH
is a file or a folder. Each file that changes is kept as FILE.bak-DATE.

The exit status is 1 if a file could not be read or a path is missing.`,
		Example: `  skillhand migrate --dry-run .claude/skills     show what would change
  skillhand migrate .claude/skills
  skillhand migrate --verify deploy/execute.sh   run before and after, compare`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runMigrate(cmd.Context(), std, o, args)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.skillPaths, "skill-path", nil, "a `file` to migrate")
	f.StringArrayVar(&o.skillDirs, "skill-dir", nil, "a `folder` to migrate")
	f.BoolVar(&o.dryRun, "dry-run", false, "write nothing, show what would change")
	f.BoolVar(&o.diff, "diff", false, "show what changes as a diff")
	f.BoolVar(&o.verbose, "verbose", false, "also name what stays as it is, and what to know about changes")
	f.BoolVar(&o.json, "json", false, "print one JSON document")
	f.BoolVar(&o.plain, "no-backup", false, "keep no copy of what changes")
	f.BoolVar(&o.verify, "verify", false, "run each script before and after, in a scratch folder, and change it only if they agree")
	f.BoolVar(&o.Bash, "bash", false, "make scripts for sh scripts for bash")
	f.BoolVar(&o.Companion, "companion", false, "make first-use.md a skill of its own, NAME-first-use")
	return cmd
}

func runMigrate(ctx context.Context, std *stdio, o migrateOptions, args []string) error {
	paths := slices.Concat(args, o.skillPaths, o.skillDirs)
	if len(paths) == 0 {
		return cli.Usagef("name a file or a folder\nusage: skillhand migrate PATH...")
	}
	m := &migration{std: std, o: o, date: time.Now().Format("20060102")}
	for _, root := range m.roots(paths) {
		if err := m.tree(ctx, root); err != nil {
			return err
		}
	}
	if err := m.print(); err != nil {
		return err
	}
	if m.count(migrate.Failed) > 0 {
		return cli.Exit(cli.ExitFailed, nil)
	}
	return nil
}

// A migration is many files on their way to today's forms.
type migration struct {
	std  *stdio
	o    migrateOptions
	date string // in the names of backups
	done []migrated
}

// A migrated file is what became of it, on disk.
type migrated struct {
	migrate.Result
	file   string // its path
	backup string // the path of its copy, or ""
}

// fail notes that something could not be done to a file.
func (m *migration) fail(file string, err error) {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	m.done = append(m.done, migrated{file: file, Result: migrate.Result{Status: migrate.Failed, Reason: err.Error()}})
}

// tree migrates what is wanted of one tree. Files are removed last, when what
// they said is elsewhere.
func (m *migration) tree(ctx context.Context, root *migrationRoot) error {
	files := m.read(root)
	results := slices.DeleteFunc(migrate.Tree(files, m.o.TreeOptions), func(r migrate.Result) bool { return !root.wants(r.Path) })
	if len(results) == 0 && len(root.explicit) == 0 {
		m.std.Warn(term.Near(root.wanted[0]) + ": nothing to migrate here")
	}
	for _, file := range root.explicit {
		if rel, err := filepath.Rel(root.base, file); err == nil && !slices.ContainsFunc(results, func(r migrate.Result) bool { return r.Path == filepath.ToSlash(rel) }) && !m.failed(file) {
			results = append(results, migrate.Result{Path: filepath.ToSlash(rel), Status: migrate.LeftAlone, Reason: "neither a shell script nor a skill's text of an old form"})
		}
	}
	bar := newFileBar(m.std, len(results))
	defer bar.end()
	slices.SortStableFunc(results, func(a, b migrate.Result) int {
		switch {
		case a.Remove == b.Remove:
			return 0
		case b.Remove:
			return -1
		}
		return 1
	})
	broken := map[string]bool{} // folders in which a write failed
	for _, r := range results {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		d := migrated{Result: r, file: filepath.Join(root.base, filepath.FromSlash(r.Path))}
		if r.Remove && broken[filepath.Dir(d.file)] {
			d.Result = migrate.Result{Path: r.Path, Status: migrate.LeftAlone, Reason: "what it says could not be written elsewhere"}
		}
		if err := m.apply(ctx, &d); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			broken[filepath.Dir(d.file)] = true
			m.fail(d.file, err)
		} else {
			m.done = append(m.done, d)
		}
		bar.step()
	}
	return nil
}

func (m *migration) failed(file string) bool {
	return slices.ContainsFunc(m.done, func(d migrated) bool { return d.file == file })
}

// apply verifies and writes one result.
func (m *migration) apply(ctx context.Context, d *migrated) error {
	if d.Status != migrate.Changed {
		return nil
	}
	if m.o.verify && !d.Remove && len(d.Edit.Before) > 0 && !strings.HasSuffix(d.Path, ".md") {
		if err := m.verify(ctx, d); err != nil {
			return err
		}
	}
	if m.o.dryRun || d.Status != migrate.Changed {
		return nil
	}
	var err error
	d.backup, err = writeEdit(d.file, d.Edit, d.Remove, m.backupDate())
	return err
}

// backupDate is the date in the names of backups, or "" for none.
func (m *migration) backupDate() string {
	if m.o.plain {
		return ""
	}
	return m.date
}

func (m *migration) count(s migrate.Status) (n int) {
	for _, d := range m.done {
		if d.Status == s {
			n++
		}
	}
	return n
}

// A migrateDocument is what migrate --json prints: schemas/migrate-v1.schema.json.
type migrateDocument struct {
	Files   []migrateFile  `json:"files"`
	Summary migrateSummary `json:"summary"`
}

type migrateFile struct {
	Path   string         `json:"path"`
	Status migrate.Status `json:"status"`
	Reason string         `json:"reason"`
	Line   int            `json:"line"`
	Backup string         `json:"backup"`
}

type migrateSummary struct {
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
	LeftAlone int `json:"left_alone"`
	Failed    int `json:"failed"`
}

// print shows what became of all files, in the order of their paths.
func (m *migration) print() error {
	slices.SortStableFunc(m.done, func(a, b migrated) int { return strings.Compare(a.file, b.file) })
	doc := migrateDocument{Files: []migrateFile{}, Summary: migrateSummary{
		Changed: m.count(migrate.Changed), Unchanged: m.count(migrate.Unchanged),
		LeftAlone: m.count(migrate.LeftAlone), Failed: m.count(migrate.Failed),
	}}
	for _, d := range m.done {
		doc.Files = append(doc.Files, migrateFile{term.Near(d.file), d.Status, d.Reason, d.Line, term.Near(d.backup)})
	}
	if m.o.json {
		return m.std.PrintJSON(doc)
	}
	var b strings.Builder
	for _, d := range m.done {
		m.describe(&b, d)
	}
	verb := "changed"
	if m.o.dryRun {
		verb = "would change"
	}
	s := doc.Summary
	fmt.Fprintf(&b, "%d %s, %d already fine, %d left alone, %d failed\n", s.Changed, verb, s.Unchanged, s.LeftAlone, s.Failed)
	return m.std.Print(b.String())
}

func (m *migration) describe(b *strings.Builder, d migrated) {
	paint := m.std.Painter()
	name := term.Visible(term.Near(d.file))
	if d.Line > 0 {
		name = fmt.Sprintf("%s:%d", name, d.Line)
	}
	switch d.Status {
	case migrate.Changed:
		verb := "changed"
		if d.Remove {
			verb = "removed"
		}
		fmt.Fprintf(b, "%s %s", paint("32", fmt.Sprintf("%-10s", verb)), name)
		if d.backup != "" {
			fmt.Fprintf(b, " (was %s)", term.Visible(term.Near(d.backup)))
		}
		b.WriteString("\n")
		if m.o.verbose {
			for _, n := range d.Edit.Notes {
				fmt.Fprintf(b, "           %s:%d: %s\n", name, n.Line, n.Text)
			}
		}
		if m.o.diff || m.o.dryRun {
			shown := *d.Edit
			shown.Name = name
			b.WriteString(term.Visible(shown.Diff()))
		}
	case migrate.Unchanged:
		if m.o.verbose {
			fmt.Fprintf(b, "%-10s %s\n", "fine", name)
		}
	case migrate.LeftAlone:
		fmt.Fprintf(b, "%s %s: %s\n", paint("33", "left alone"), name, term.Visible(d.Reason))
	case migrate.Failed:
		fmt.Fprintf(b, "%s %s: %s\n", paint("31", fmt.Sprintf("%-10s", "failed")), name, term.Visible(d.Reason))
	}
}

// A fileBar shows how far a long job is, on a terminal.
type fileBar struct {
	std       *stdio
	done, all int
	shown     time.Time
}

// manyFiles is from how many files on a bar is worth its line.
const manyFiles = 30

func newFileBar(std *stdio, all int) *fileBar {
	if all < manyFiles || !term.IsTerminal(std.Err) || lookup(std.Env, "TERM") == "dumb" {
		return nil
	}
	return &fileBar{std: std, all: all}
}

func (b *fileBar) step() {
	if b == nil {
		return
	}
	b.done++
	if time.Since(b.shown) > 50*time.Millisecond {
		const width = 30
		filled := b.done * width / b.all
		fmt.Fprintf(b.std.Err, "\r[%s%s] %d of %d", strings.Repeat("=", filled), strings.Repeat(" ", width-filled), b.done, b.all)
		b.shown = time.Now()
	}
}

func (b *fileBar) end() {
	if b != nil && !b.shown.IsZero() {
		fmt.Fprint(b.std.Err, "\r\x1b[K")
	}
}
