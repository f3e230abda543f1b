package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/here"
	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/origin"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/uninstall"
)

// An uninstalled is what uninstall found and did. It is described by schemas/uninstall-v1.schema.json.
type uninstalled struct {
	OK       bool             `json:"ok"` // nothing failed
	DryRun   bool             `json:"dry_run"`
	Items    []uninstall.Item `json:"items"`
	Programs []string         `json:"programs"` // that remain
	Command  string           `json:"command"`  // that removes them; "" if their files are to be deleted
}

func newUninstall(std *cli.Std) *cobra.Command {
	var dryRun, yes, asJSON bool
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove what skillhand put on this machine",
		Long: `Remove the entries that skillhand mcp --install wrote for agents, the status line
in Claude Code's settings, and the state folder: trust, history, sessions and
batches. Then say how to remove the programs themselves.

Your home and the project around this folder are searched. Entries that skillhand
did not write, or that were changed since, are left and listed. On a terminal you
are shown what will go, and asked.`,
		Example: `  skillhand uninstall --dry-run
  skillhand uninstall
  skillhand uninstall --yes`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := here.From("", std.Env)
			if err != nil {
				return err
			}
			doc := uninstalled{OK: true, DryRun: dryRun, Items: uninstall.Find(h)}
			if doc.Items == nil {
				doc.Items = []uninstall.Item{}
			}
			if !dryRun && !yes {
				if err := confirmUninstall(cmd.Context(), std, doc.Items); err != nil {
					return err
				}
			}
			if !dryRun {
				doc.OK = !uninstall.Remove(doc.Items)
			}
			if doc.Programs, doc.Command, err = programs(std); err != nil {
				return err
			}
			if asJSON {
				err = std.PrintJSON(doc)
			} else {
				err = std.Print(doc.String())
			}
			if err == nil && !doc.OK {
				err = cli.Said(cli.ExitFailed)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show what would be removed, and remove nothing")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

// confirmUninstall asks a person, if there is one, whether what was found may go.
func confirmUninstall(ctx context.Context, std *cli.Std, items []uninstall.Item) error {
	found := slices.ContainsFunc(items, func(it uninstall.Item) bool { return it.Status == uninstall.Found })
	if !found || !std.Interactive() {
		return nil
	}
	fmt.Fprint(std.Err, itemLines(items))
	yes, err := std.Ask(ctx, "\nRemove them? It cannot be undone. [y/N] ")
	if err == nil && !yes {
		err = errors.New("nothing was removed")
	}
	return err
}

// programs lists the installed programs, and the command that removes them. Without a command people delete the files by
// hand, so it also lists the links to them on PATH.
func programs(std *cli.Std) (files []string, command string, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	if self, err = filepath.EvalSymlinks(self); err != nil {
		return nil, "", err
	}
	files = []string{self}
	server := filepath.Join(filepath.Dir(self), cli.ServerName+filepath.Ext(self))
	if _, err := os.Stat(server); err == nil {
		files = append(files, server)
	}
	if command = origin.Of(self, cli.NewVersion().Version, origin.GoBin(std.Getenv)).Remove(); command != "" {
		return files, command, nil
	}
	return append(files, linksTo(files, std.Getenv("PATH"))...), "", nil
}

// linksTo are the links to programs in the folders of a list such as PATH.
func linksTo(programs []string, list string) (links []string) {
	for _, dir := range filepath.SplitList(list) {
		for _, program := range programs {
			link := filepath.Join(dir, filepath.Base(program))
			if to, err := filepath.EvalSymlinks(link); err == nil && filepath.IsAbs(link) && to == program && to != link && !slices.Contains(links, link) {
				links = append(links, link)
			}
		}
	}
	return links
}

// deletable is what to delete so that these programs are gone: the folder of an archive, if nothing else is in it, and
// else the files.
func deletable(programs []string) []string {
	dir := filepath.Dir(programs[0])
	entries, err := os.ReadDir(dir)
	has := func(name string) bool {
		return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == name })
	}
	other := func(e os.DirEntry) bool {
		return !slices.Contains([]string{"CHANGELOG.md", "LICENSE", "README.md", "completions", "docs", "man"}, e.Name()) &&
			!slices.Contains(programs, filepath.Join(dir, e.Name()))
	}
	if err != nil || !has("man") || !has("completions") || slices.ContainsFunc(entries, other) {
		return programs
	}
	return append([]string{dir}, slices.DeleteFunc(slices.Clone(programs), func(file string) bool { return filepath.Dir(file) == dir })...)
}

// itemLines has a line for each item.
func itemLines(items []uninstall.Item) string {
	words := map[uninstall.Status]string{uninstall.Found: "would be removed", uninstall.Removed: "removed", uninstall.Left: "left"}
	var b strings.Builder
	for _, it := range items {
		line := fmt.Sprintf("%s: %s: %s", it.File, words[it.Status], it.Text)
		if it.Why != "" {
			line += " (" + it.Why + ")"
		}
		b.WriteString(term.Visible(strings.ReplaceAll(line, "\n", " ")) + "\n")
	}
	return b.String()
}

// String is what people read.
func (u *uninstalled) String() string {
	var b strings.Builder
	b.WriteString(itemLines(u.Items))
	if len(u.Items) == 0 {
		b.WriteString("Nothing to remove: no entries of agents, no status line, no state.\n")
	}
	if u.Command != "" {
		fmt.Fprintf(&b, "To remove the programs: %s\n", u.Command)
	} else {
		fmt.Fprintf(&b, "To remove the programs, delete: %s\n", strings.Join(deletable(u.Programs), " "))
	}
	return b.String()
}
