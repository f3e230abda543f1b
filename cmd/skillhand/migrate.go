package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/migrate"
)

type migrateOptions struct {
	migrate.Migration
	skillPaths, skillDirs []string
	includeRead           []string
	diff, verbose, json   bool
}

func newMigrate(std *cli.Std) *cobra.Command {
	var o migrateOptions
	cmd := &cobra.Command{
		Use:   "migrate [PATH...]",
		Short: "Upgrade old skills to the current format",
		Long: `Upgrade skills to the current format. migrate changes only what must change. PATH is
a file, a folder, or a skill's name; without a PATH, migrate reads this folder:

  bash scripts that print text  print one JSON report, however they end
  bindings.json, handler.sh     become directives in the skill's text
  first-use.md                  gets <skill> and <output> sections

migrate skips a script if something in the tree reads its output, or if it cannot
change the script safely. It prints the reasons; --verbose prints them for each
file. --include-read also migrates scripts whose readers can read reports. In a
whole repository, migrate changes only the scripts of skills. It keeps each old
version as FILE.bak-DATE.

Migrated scripts source one file, skillhand-report.bash, in the folder you name. A
plugin, or a skill outside a plugin, gets its own copy, because people may copy it
alone. --inline puts this code into each script instead.

The exit status is 1 if a file could not be read or parsed, 3 if a path is missing.`,
		Example: `  skillhand migrate --dry-run                    show what would change here
  skillhand migrate .claude/skills
  skillhand migrate --verify deploy/execute.sh   run before and after, compare`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runMigrate(cmd.Context(), std, o, args)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.skillPaths, "skill-path", nil, "a `file` to migrate")
	f.StringArrayVar(&o.skillDirs, "skill-dir", nil, "a `folder` to migrate")
	_, _ = f.MarkHidden("skill-path"), f.MarkHidden("skill-dir") // PATH replaces them
	f.BoolVar(&o.DryRun, "dry-run", false, "show what would change; change nothing")
	f.StringArrayVar(&o.includeRead, "include-read", nil, "also migrate scripts that match this `glob`, although something reads their output")
	f.BoolVar(&o.diff, "diff", false, "show what changes as a diff")
	f.BoolVar(&o.verbose, "verbose", false, "list each file that is skipped or needs no change, and notes about changes")
	f.BoolVar(&o.json, "json", false, "print one JSON document")
	f.BoolVar(&o.NoBackup, "no-backup", false, "keep no backups")
	f.BoolVar(&o.Verify, "verify", false, "run each script before and after, in a scratch copy; change it only if they agree")
	f.BoolVar(&o.Bash, "bash", false, "turn sh scripts into bash scripts")
	f.BoolVar(&o.Inline, "inline", false, "put the reporting code into each script, not into "+migrate.ReportFile)
	f.BoolVar(&o.Companion, "companion", false, "turn first-use.md into a skill of its own, NAME-first-use")
	return cmd
}

func runMigrate(ctx context.Context, std *cli.Std, o migrateOptions, args []string) error {
	named := slices.Concat(args, o.skillPaths, o.skillDirs)
	h, err := here.From("", std.Env)
	if err != nil {
		return err
	}
	if len(named) == 0 {
		if h.Home != "" && files.Inside(files.Real(h.Dir), files.Real(h.Home)) {
			return cli.Usagef("this folder holds your whole home: name a file or a folder\nusage: skillhand migrate PATH...")
		}
		named = []string{"."}
	}
	for i, name := range named {
		named[i] = h.Finder().Path(name)
	}
	bar := std.Bar()
	o.Env, o.Step, o.Warn = skillhand.SafeEnv(std.Env), bar.Step, std.Warn
	o.Include = func(path string) bool {
		return slices.ContainsFunc(o.includeRead, func(glob string) bool {
			return files.Match("**/"+strings.TrimPrefix(glob, "./"), filepath.ToSlash(path))
		})
	}
	o.Trusted = (&skillhand.Runtime{}).Policy(h).May // for --verify
	done, err := o.Run(ctx, named)
	bar.End()
	if err != nil {
		return err
	}
	doc, shown := done.Document(), migrate.Shown{Verbose: o.verbose, Diff: o.diff, DryRun: o.DryRun, Columns: std.Edge(), Paint: std.Painter()}
	if err := std.PrintEither(o.json, doc, func() string { return done.Text(shown) }); err != nil {
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
