package find_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/check"
	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/golden"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/setup"
	"github.com/skillhand/skillhand/internal/test"
	"github.com/skillhand/skillhand/skill"
)

// TestAgree asks every command that finds files about the same trees: check, list, load by name,
// test, doctor, and the lists of Claude Code and the other agents. No two of them disagree about a
// file.
func TestAgree(t *testing.T) {
	test.Cases(t, "testdata/*.txtar", func(t *testing.T, c test.Case) map[string]string {
		dir := find.Grow(t, c.Files)
		home := filepath.Join(dir, "home")
		if err := os.MkdirAll(home, 0o777); err != nil {
			t.Fatal(err)
		}
		h, err := here.From(dir, []string{"HOME=" + home})
		if err != nil {
			t.Fatal(err)
		}
		all := checked(t, h, true)
		listed := agreeList(t, h, all)
		agreeNames(t, h, listed)
		agreeDoctor(t, h)
		agreeAgents(t, h, all)
		return nil
	})
}

// checked returns the files that check finds, by their real paths. others adds the files of all
// agents.
func checked(t *testing.T, h here.Here, others bool) map[string]find.File {
	t.Helper()
	tree := h.Tree()
	tree.Others = others
	found, err := tree.Find(nil)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]find.File{}
	for _, f := range found {
		all[files.Real(f.Path)] = f
	}
	return all
}

// agreeList compares list with check: both must find the same skills, with the same owners.
func agreeList(t *testing.T, h here.Here, all map[string]find.File) []skillhand.Listed {
	t.Helper()
	rt := &skillhand.Runtime{Here: h}
	listed, _ := rt.List()
	names := map[string]bool{}
	for _, one := range listed {
		real := files.Real(one.Main().File)
		names[real] = true
		f, found := all[real]
		if !found {
			t.Errorf("%s is listed, and check does not see it", one.File)
			continue
		}
		if diff := cmp.Diff(f.Owners, one.Owners, cmp.Transformer("none",
			func(s []string) string { return strings.Join(s, " ") })); diff != "" {
			t.Errorf("%s: owners, check's and the list's:\n%s", one.File, diff)
		}
		if f.Plugin != "" && one.Plugin != "" && one.Plugin != find.PluginName(f.Plugin) {
			t.Errorf("%s is of the plugin %s in the list, and of %s to check", one.File, one.Plugin, find.PluginName(f.Plugin))
		}
	}
	for _, stray := range h.Finder().Strays() { // list names these only if there is nothing else
		names[filepath.Join(h.Dir, stray, skill.MainFile)] = true
	}
	for real, f := range checked(t, h, false) {
		if isLoose := f.Misplaced.Text != ""; f.Kind == find.Skill && f.Fault == nil && !isLoose && !names[real] {
			t.Errorf("check sees %s, and it is not listed", f.Name)
		}
	}
	return listed
}

// agreeNames looks up each listed entry by its name, as load, run, ask, try and mcp do, and asks
// test.
func agreeNames(t *testing.T, h here.Here, listed []skillhand.Listed) {
	t.Helper()
	var skills []string
	for _, one := range listed {
		loc, err := h.Finder().Find(one.Call)
		if err != nil || loc.File != one.File {
			t.Errorf("%s is %s in the list, and by name %s, %v", one.Call, one.File, loc.File, err)
		}
		if !one.Command && one.From == skill.FromProject {
			skills = append(skills, one.Call)
		}
	}
	found, err := golden.Skills(h.Finder(), skills)
	if err != nil || len(skills) > 0 && len(found) != len(skills) {
		t.Errorf("test finds %d of %d skills: %v", len(found), len(skills), err)
	}
}

// agreeDoctor compares doctor's number of errors with check's.
func agreeDoctor(t *testing.T, h here.Here) {
	t.Helper()
	up, err := check.At(h, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := up.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, f := range setup.Diagnose(t.Context(), setup.DiagnoseRequest{Dir: h.Dir, Env: h.Env}).Checks {
		if _, count, ok := strings.Cut(f.Text, "check finds "); ok {
			got, _, _ = strings.Cut(count, " ")
		}
	}
	if want := fmt.Sprint(res.Count(check.Error)); got != want && (got != "" || want != "0") {
		t.Errorf("check finds %s errors, and doctor says %q", want, got)
	}
}

// agreeAgents compares what each agent loads with the owners of the files.
func agreeAgents(t *testing.T, h here.Here, all map[string]find.File) {
	t.Helper()
	owned := func(file, agent string) {
		t.Helper()
		if f, found := all[files.Real(file)]; !found || !slices.Contains(f.Owners, agent) {
			t.Errorf("%s loads %s, whose owners are %v", agent, file, f.Owners)
		}
	}
	claude := find.Claude{Settings: h.Settings()}
	for _, e := range claude.Entries(claude.Plugins()) {
		owned(e.File, agents.Claude)
	}
	found, _ := find.ForAgents(h.Project, h.Home)
	for _, name := range agents.Names() {
		for _, s := range found {
			if agents.Get(name).LooksIn(s.Place, s.User) {
				owned(s.File, name)
			}
		}
	}
}
