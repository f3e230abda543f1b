package setup

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skillhand/skillhand/internal/term"
)

// An Uninstalled says what uninstall found and did. It is described by
// schemas/uninstall-v1.schema.json.
type Uninstalled struct {
	OK       bool     `json:"ok"` // nothing failed
	DryRun   bool     `json:"dry_run"`
	Items    []Item   `json:"items"`
	Programs []string `json:"programs"` // the programs that remain
	Command  string   `json:"command"`  // removes the programs; "" if people delete the files
}

// Programs lists the installed programs, this one and those beside it, and the command that removes
// them. Without such a command people delete the files by hand, so it also lists the links to them
// in PATH.
func Programs(version string, getenv func(string) string, beside ...string) (files []string, command string, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	if self, err = filepath.EvalSymlinks(self); err != nil {
		return nil, "", err
	}
	files = []string{self}
	for _, name := range beside {
		file := filepath.Join(filepath.Dir(self), name+filepath.Ext(self))
		if _, err := os.Stat(file); err == nil {
			files = append(files, file)
		}
	}
	if command = OriginOf(self, version, goBin(getenv)).Remove(); command != "" {
		return files, command, nil
	}
	return append(files, linksTo(files, getenv("PATH"))...), "", nil
}

// linksTo returns the links to programs in the folders of a list such as PATH.
func linksTo(programs []string, list string) (links []string) {
	for _, dir := range filepath.SplitList(list) {
		for _, program := range programs {
			link := filepath.Join(dir, filepath.Base(program))
			if to, err := filepath.EvalSymlinks(link); err == nil && filepath.IsAbs(link) &&
				to == program && to != link && !slices.Contains(links, link) {
				links = append(links, link)
			}
		}
	}
	return links
}

// deletable returns what to delete to remove the programs: the folder of an archive if it contains
// nothing else, otherwise the files.
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

// Lines returns a line for each item, wrapped between words at a width.
func Lines(items []Item, columns int) string {
	words := map[ItemStatus]string{ItemFound: "would be removed", ItemRemoved: "removed", ItemLeft: "left"}
	var b strings.Builder
	for _, it := range items {
		line := fmt.Sprintf("%s: %s: %s", it.File, it.Text, words[it.Status])
		if it.Why != "" {
			line += " (" + it.Why + ")"
		}
		b.WriteString(term.Message(term.Visible(strings.ReplaceAll(line, "\n", " ")), columns, nil) + "\n")
	}
	return b.String()
}

// Text returns what people read, in lines of a width.
func (d *Uninstalled) Text(columns int) string {
	var b strings.Builder
	b.WriteString(Lines(d.Items, columns))
	if len(d.Items) == 0 {
		b.WriteString("Nothing to remove: no entries of agents, no status line, no state.\n")
	}
	if d.Command != "" {
		fmt.Fprintf(&b, "To remove the programs: %s\n", d.Command)
	} else {
		fmt.Fprintf(&b, "To remove the programs, delete: %s\n", strings.Join(deletable(d.Programs), " "))
	}
	return b.String()
}
