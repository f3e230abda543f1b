package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/here"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/migrate"
	"github.com/skillhand/skillhand/migrate/disk"
)

type migrateOptions struct {
	disk.Migration
	skillPaths, skillDirs []string
	includeRead           []string
	diff, verbose, json   bool
}

func newMigrate(std *cli.Std) *cobra.Command {
	var o migrateOptions
	cmd := &cobra.Command{
		Use:   "migrate PATH...",
		Short: "Upgrade old skills to the current format",
		Long: `Upgrade skills to the current format, changing only what must change:

  bash scripts that print text  print one JSON report, however they end
  bindings.json, handler.sh     become directives in the skill's text
  first-use.md                  gets <skill> and <output> sections

A script is left alone if something in the tree reads its output, or if it
cannot be changed safely; the reasons are listed, with --verbose for each file.
--include-read takes scripts whose readers read reports. PATH is a file or a
folder; of a whole repository only the scripts of its skills change. The old
version of a changed file is kept as FILE.bak-DATE.

Migrated scripts source one file, skillhand-report.bash, which is put in the
folder you name; --inline puts its code into each script instead.

The exit status is 1 if a file could not be read or parsed, 3 if a path is missing.`,
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
	_, _ = f.MarkHidden("skill-path"), f.MarkHidden("skill-dir") // PATH does it
	f.BoolVar(&o.DryRun, "dry-run", false, "show what would change, and change nothing")
	f.StringArrayVar(&o.includeRead, "include-read", nil, "also migrate scripts that match `glob` though something reads their output, for readers of reports")
	f.BoolVar(&o.diff, "diff", false, "show what changes as a diff")
	f.BoolVar(&o.verbose, "verbose", false, "list each file that was left alone or needs no change, and notes about changes")
	f.BoolVar(&o.json, "json", false, "print one JSON document")
	f.BoolVar(&o.NoBackup, "no-backup", false, "keep no backups")
	f.BoolVar(&o.Verify, "verify", false, "run each script before and after, in a scratch copy; change it only if they agree")
	f.BoolVar(&o.Bash, "bash", false, "turn sh scripts into bash scripts")
	f.BoolVar(&o.Inline, "inline", false, "put the reporting code into each script, not into "+migrate.ReportFile)
	f.BoolVar(&o.Companion, "companion", false, "turn first-use.md into a skill of its own, NAME-first-use")
	return cmd
}

func runMigrate(ctx context.Context, std *cli.Std, o migrateOptions, args []string) error {
	paths := slices.Concat(args, o.skillPaths, o.skillDirs)
	if len(paths) == 0 {
		return cli.Usagef("name a file or a folder\nusage: skillhand migrate PATH...")
	}
	bar := &fileBar{std: std}
	o.Env, o.Step, o.Warn = skillhand.SafeEnv(std.Env), bar.step, std.Warn
	o.Include = o.included
	o.Trusted = func(file string) error { return mayVerify(std, file) }
	done, err := o.Run(ctx, paths)
	bar.end()
	if err != nil {
		return err
	}
	doc := migrate.Document{Files: []migrate.Outcome{}, Unclear: []migrate.Position{}}
	for _, u := range done.Unclear {
		doc.Unclear = append(doc.Unclear, migrate.Position{Path: term.Near(u.Path), Line: u.Line})
	}
	for _, f := range done.Files {
		doc.Add(migrate.Outcome{Path: term.Near(f.Path), Status: f.Status, Reason: term.Near(f.Reason), Line: f.Line, Backup: term.Near(f.Backup)})
	}
	if err := printMigration(std, o, done.Files, doc); err != nil {
		return err
	}
	switch {
	case done.Missing:
		return cli.Said(cli.ExitMissing)
	case doc.Summary.Failed > 0:
		return cli.Said(cli.ExitFailed)
	}
	return nil
}

// included reports whether --include-read names a script.
func (o *migrateOptions) included(path string) bool {
	return slices.ContainsFunc(o.includeRead, func(glob string) bool {
		var b strings.Builder
		for rest := strings.TrimPrefix(glob, "./"); rest != ""; {
			switch {
			case strings.HasPrefix(rest, "**/"):
				b.WriteString("(?:.*/)?")
				rest = rest[3:]
			case strings.HasPrefix(rest, "**"):
				b.WriteString(".*")
				rest = rest[2:]
			case rest[0] == '*':
				b.WriteString("[^/]*")
				rest = rest[1:]
			case rest[0] == '?':
				b.WriteString("[^/]")
				rest = rest[1:]
			default:
				b.WriteString(regexp.QuoteMeta(rest[:1]))
				rest = rest[1:]
			}
		}
		matched, err := regexp.MatchString("(?:^|/)"+b.String()+"$", path)
		return err == nil && matched
	})
}

// mayVerify reports why a script may not be run.
func mayVerify(std *cli.Std, file string) error {
	h, err := here.From("", std.Env)
	if err != nil {
		return err
	}
	return (&skillhand.Runtime{}).Policy(h).May(file)
}

// printMigration shows what became of all files.
func printMigration(std *cli.Std, o migrateOptions, files []disk.File, doc migrate.Document) error {
	if o.json {
		return std.PrintJSON(doc)
	}
	var b strings.Builder
	groups := groupLeft(files)
	for _, f := range files {
		if f.Status == migrate.LeftAlone && !o.verbose && len(groups[group(f)]) >= manyLeft {
			continue
		}
		describeFile(&b, std.Painter(), o, f)
	}
	if !o.verbose {
		describeGroups(&b, std.Painter(), groups)
	}
	describeUnclear(&b, std.Painter(), o, doc.Unclear)
	verb := "changed"
	if o.DryRun {
		verb = "would change"
	}
	s := doc.Summary
	fmt.Fprintf(&b, "%d %s, %d already fine, %d left alone, %d failed\n", s.Changed, verb, s.Unchanged, s.LeftAlone, s.Failed)
	return std.Print(b.String())
}

// manyLeft is the number of files from which on those left alone for one reason share a line.
const manyLeft = 5

// group is the reason for which a file is left alone, without the file that is the cause.
func group(f disk.File) string { return cmp.Or(f.Group, f.Reason) }

// groupLeft are the files that were left alone, by their reasons.
func groupLeft(files []disk.File) map[string][]disk.File {
	groups := map[string][]disk.File{}
	for _, f := range files {
		if f.Status == migrate.LeftAlone {
			groups[group(f)] = append(groups[group(f)], f)
		}
	}
	return groups
}

// describeGroups shows the reasons that hold many files, the largest first.
func describeGroups(b *strings.Builder, paint func(code, text string) string, groups map[string][]disk.File) {
	large := slices.DeleteFunc(slices.Collect(maps.Keys(groups)), func(reason string) bool { return len(groups[reason]) < manyLeft })
	slices.SortFunc(large, func(a, b string) int { return cmp.Or(len(groups[b])-len(groups[a]), strings.Compare(a, b)) })
	for _, reason := range large {
		files := groups[reason]
		example := term.Near(files[0].Path)
		if files[0].Group != "" {
			example += ": " + term.Near(files[0].Reason)
		} else if files[0].Line > 0 {
			example += fmt.Sprintf(":%d", files[0].Line)
		}
		fmt.Fprintf(b, "%s %d files: %s\n           such as %s\n", paint("33", "left alone"), len(files), term.Visible(reason), term.Visible(example))
	}
	if len(large) > 0 {
		fmt.Fprintf(b, "%-10s --verbose lists each\n", "")
	}
}

// maxUnclear is how many unclear lines are shown.
const maxUnclear = 5

// describeUnclear shows the lines of which nobody can tell what they read.
func describeUnclear(b *strings.Builder, paint func(code, text string) string, o migrateOptions, unclear []migrate.Position) {
	for i, u := range unclear {
		if i == maxUnclear && !o.verbose {
			fmt.Fprintf(b, "%-10s and %d more (--verbose)\n", "", len(unclear)-i)
			return
		}
		fmt.Fprintf(b, "%s %s:%d: reads the output of a command that only a run can tell: make sure it is none of these scripts\n",
			paint("33", "look at   "), term.Visible(u.Path), u.Line)
	}
}

func describeFile(b *strings.Builder, paint func(code, text string) string, o migrateOptions, f disk.File) {
	name := term.Visible(term.Near(f.Path))
	if f.Line > 0 {
		name = fmt.Sprintf("%s:%d", name, f.Line)
	}
	switch f.Status {
	case migrate.Changed:
		added := len(f.Edit.Before) == 0 && !f.Remove
		fmt.Fprintf(b, "%s %s", paint("32", fmt.Sprintf("%-10s", verb(f, added, o.DryRun))), name)
		if f.Backup != "" {
			fmt.Fprintf(b, " (was %s)", term.Visible(term.Near(f.Backup)))
		}
		b.WriteString("\n")
		if filepath.Base(f.Path) == migrate.ReportFile && added {
			b.WriteString("           (it prints the report: the changed scripts source it, so keep it with them;\n" +
				"           --inline puts its code into each script instead)\n")
		}
		if o.verbose {
			for _, n := range f.Edit.Notes {
				fmt.Fprintf(b, "           %s:%d: %s\n", name, n.Line, n.Text)
			}
		}
		if (o.diff || o.DryRun) && filepath.Base(f.Path) != migrate.ReportFile { // which is long, and the same everywhere
			shown := *f.Edit
			shown.Name = name
			b.WriteString(term.Visible(shown.Diff()))
		}
	case migrate.Unchanged:
		if o.verbose {
			fmt.Fprintf(b, "%-10s %s\n", "fine", name)
		}
	case migrate.LeftAlone:
		fmt.Fprintf(b, "%s %s: %s\n", paint("33", "left alone"), name, term.Visible(term.Near(f.Reason)))
	case migrate.Failed:
		fmt.Fprintf(b, "%s %s: %s\n", paint("31", fmt.Sprintf("%-10s", "failed")), name, term.Visible(term.Near(f.Reason)))
	}
}

// verb says what became of a file that changed, or would.
func verb(f disk.File, added, dry bool) string {
	verb := "change"
	switch {
	case f.Remove:
		verb = "remove"
	case added:
		verb = "add"
	}
	if dry {
		return "would " + verb
	}
	return strings.TrimSuffix(verb, "e") + "ed"
}

// A fileBar shows how far a long job is, on a terminal.
type fileBar struct {
	std   *cli.Std
	shown time.Time
}

// manyFiles is from how many files on a bar is worth its line.
const manyFiles = 30

func (b *fileBar) step(done, all int) {
	if all < manyFiles || time.Since(b.shown) < 50*time.Millisecond || !term.IsTerminal(b.std.Err) || b.std.Getenv("TERM") == "dumb" {
		return
	}
	const width = 30
	filled := done * width / all
	fmt.Fprintf(b.std.Err, "\r[%s%s] %d of %d", strings.Repeat("=", filled), strings.Repeat(" ", width-filled), done, all)
	b.shown = time.Now()
}

func (b *fileBar) end() {
	if !b.shown.IsZero() {
		fmt.Fprint(b.std.Err, "\r\x1b[K")
	}
}
