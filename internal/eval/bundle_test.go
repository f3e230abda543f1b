//go:build unix

package eval

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/skill"
)

// TestBundle checks that a Bundle has everything that trials need, and that no path in it leads to
// where it was made. Packing it again gives the same bytes.
func TestBundle(t *testing.T) {
	t.Parallel()
	home, project := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		".claude/skills/card/SKILL.md":         "---\nname: card\ndescription: Writes cards.\n---\nWrite.\n",
		".claude/skills/card/run.sh":           "#!/bin/sh\n",
		".claude/skills/card/evals/box/in.txt": "in the box",
		".claude/skills/card/evals/list.csv":   "a,b",
		".claude/skills/card/evals/cases.yaml": "cases: [{id: one, prompt: hi, files: [box, list.csv], " +
			"checks: [{file: a.txt, matches: '^x+$'}, {file: b.json, json: 'a[0]', value: 3}]}, {id: two, prompt: ho, files: box}]",
		".claude/skills/other/SKILL.md":         "---\nname: other\ndescription: Other.\n---\n",
		"plug/.claude-plugin/plugin.json":       `{"name": "plug"}`,
		"plug/skills/deck/SKILL.md":             "---\nname: deck\ndescription: Decks.\n---\n",
		"plug/skills/deck/evals/cases.yaml":     "cases: [{id: one, prompt: hi}]",
		"outside.txt":                           "from outside",
		".claude/skills/card/scripts/inside.sh": "x",
	} {
		write(t, filepath.Join(project, name), text)
	}
	box := filepath.Join(project, ".claude/skills/card/evals/box")
	for link, target := range map[string]string{"away.txt": filepath.Join(project, "outside.txt"), "near.txt": "in.txt"} {
		if err := os.Symlink(target, filepath.Join(box, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(project, ".claude/skills/card/run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	o := Options{
		Runtime:      skillhand.Runtime{Here: here.Here{Dir: project, State: t.TempDir(), Env: here.Env{"HOME=" + home}}},
		WithMine:     true,
		Model:        "m",
		MaxUSD:       2,
		AllowedTools: []string{"Bash"},
	}
	var subjects []*Subject
	for _, folder := range []string{".claude/skills/card", "plug/skills/deck"} {
		loc, err := find.Finder{Dir: project}.Find(filepath.Join(project, folder))
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewSubject(loc)
		if err == nil {
			err = s.FindCases(nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		subjects = append(subjects, s)
	}
	own, err := NewBundle(o, subjects)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := own.Pack()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := own.Pack(); err != nil || !bytes.Equal(again, packed) {
		t.Errorf("packed again it is another bundle: %v", err)
	}
	dir := files.Real(t.TempDir())
	k, err := Unpack(packed, dir, o.Runtime.Env)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(project); err != nil {
		t.Fatal(err)
	}
	card, deck := k.subjects[0], k.subjects[1]
	if got := everything(t, dir); strings.Contains(got, project) || !strings.Contains(got, "from outside") {
		t.Errorf("the bundle has %s", got)
	}
	if _, err := os.Stat(filepath.Join(card.Folder, "evals")); err == nil {
		t.Error("the skill has its evals")
	}
	one := card.Cases[0]
	if one.Checks[0].Matches == "" || string(one.Checks[1].Value) != "3" ||
		len(one.Files) != 2 || !reflect.DeepEqual(card.Cases[1].Files, one.Files[:1]) {
		t.Errorf("%+v", card.Cases)
	}
	if k.o.Model != "m" || k.o.MaxUSD != 2 || len(k.mine) != 2 || deck.Plugin == "" ||
		!reflect.DeepEqual(deck.Names, subjects[1].Names) {
		t.Errorf("%+v", k)
	}
	r := &Bundle{o: o, mine: k.mine}
	for _, arm := range []Arm{With, Without} {
		place, err := newFolders(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		args, err := r.furnish(job{subject: card, c: &card.Cases[0], arm: arm, run: 1}, place)
		if err != nil || len(args) != 0 {
			t.Fatalf("%q, %v", args, err)
		}
		info, err := os.Stat(filepath.Join(place.project, ".claude/skills/card/run.sh"))
		if (err == nil) != (arm == With) || err == nil && info.Mode().Perm()&0o100 == 0 {
			t.Errorf("%s: the script: %v, %v", arm, info, err)
		}
		for name, want := range map[string]string{
			"in.txt": "in the box", "away.txt": "from outside", "near.txt": "in the box", "list.csv": "a,b",
			".claude/skills/other/SKILL.md": "Other.",
		} {
			if text, err := os.ReadFile(filepath.Join(place.project, name)); err != nil || !strings.Contains(string(text), want) {
				t.Errorf("%s: %s has %q, %v", arm, name, text, err)
			}
		}
	}
}

// TestCompanion checks that a skill with a companion skill is tried with it and hidden with it. The
// cases are in the skill's own folder. The same holds for the user's other skills.
func TestCompanion(t *testing.T) {
	t.Parallel()
	for _, root := range []string{".claude/skills", "plug/skills"} {
		project, home := t.TempDir(), t.TempDir()
		write(t, filepath.Join(project, "plug/.claude-plugin/plugin.json"), `{"name": "plug"}`)
		for _, name := range []string{"card", "card-first-use", "deck", "deck-first-use"} {
			write(t, filepath.Join(project, root, name, "SKILL.md"), "---\nname: "+name+"\ndescription: About "+name+"\n---\n")
		}
		write(t, filepath.Join(project, root, "card/evals/c.yaml"), "cases: [{prompt: x}]")
		o := Options{WithMine: root == ".claude/skills",
			Runtime: skillhand.Runtime{Here: here.Here{Dir: project, State: t.TempDir(), Env: here.Env{"HOME=" + home}}}}
		h, err := o.Runtime.Complete()
		if err != nil {
			t.Fatal(err)
		}
		loc, err := h.Finder().Find(filepath.Join(project, root, "card"))
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewSubject(loc)
		if err != nil {
			t.Fatal(err)
		}
		if err = s.FindCases(nil); err != nil || s.Name != "card" || s.Description != "About card" || s.Names[0] != "card" {
			t.Fatalf("%+v, %v", s, err)
		}
		own, err := NewBundle(o, []*Subject{s})
		if err != nil {
			t.Fatal(err)
		}
		packed, err := own.Pack()
		if err != nil {
			t.Fatal(err)
		}
		k, err := Unpack(packed, files.Real(t.TempDir()), o.Runtime.Env)
		if err != nil {
			t.Fatal(err)
		}
		r := &Bundle{o: o, mine: k.mine, user: h}
		for _, subject := range []*Subject{s, k.subjects[0]} {
			for arm, want := range map[Arm]string{With: "card card-first-use deck deck-first-use", Without: "deck deck-first-use"} {
				place, err := newFolders(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				if _, err := r.furnish(job{subject: subject, c: &subject.Cases[0], arm: arm, run: 1}, place); err != nil {
					t.Fatal(err)
				}
				found, _ := filepath.Glob(filepath.Join(subject.root(place), strings.TrimPrefix(root, "plug/"), "*", "SKILL.md"))
				var names []string
				for _, file := range found {
					names = append(names, filepath.Base(filepath.Dir(file)))
				}
				if got := strings.Join(names, " "); got != want {
					t.Errorf("%s, %s: %s, want %s", root, arm, got, want)
				}
			}
		}
	}
}

// TestUnpack checks that Unpack refuses a Bundle that leads out of its folder, and data that is no
// Bundle.
func TestUnpack(t *testing.T) {
	t.Parallel()
	for _, h := range []tar.Header{
		{Name: "../up", Typeflag: tar.TypeReg}, {Name: "/abs", Typeflag: tar.TypeReg},
		{Name: "l", Typeflag: tar.TypeSymlink, Linkname: "../.."},
		{Name: "l", Typeflag: tar.TypeSymlink, Linkname: "/etc"}, {Name: "pipe", Typeflag: tar.TypeFifo},
	} {
		var b bytes.Buffer
		zip := gzip.NewWriter(&b)
		out := tar.NewWriter(zip)
		if err := out.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		zip.Close()
		if _, err := Unpack(b.Bytes(), t.TempDir(), nil); err == nil || !strings.HasPrefix(err.Error(), "a bundle of trials: ") {
			t.Errorf("%s %s: %v", h.Name, h.Linkname, err)
		}
	}
	if _, err := Unpack([]byte("no"), t.TempDir(), nil); err == nil {
		t.Error("what is none was unpacked")
	}
}

// TestNoTranscript checks that a trial whose transcript was too long to send is saved, and that
// judging it again changes nothing.
func TestNoTranscript(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, filepath.Join(folder, "card/SKILL.md"), "---\nname: card\ndescription: d\n---\n")
	s, err := NewSubject(skill.Location{Name: "card", File: filepath.Join(folder, "card/SKILL.md"), Folder: filepath.Join(folder, "card")})
	if err != nil {
		t.Fatal(err)
	}
	s.Cases = []Case{{ID: "one", Prompt: "x", Fires: true}, {ID: "two", Prompt: "y", Fires: true}}
	o := Options{Runtime: skillhand.Runtime{Here: here.Here{Dir: folder, State: t.TempDir(), Env: here.Env{"HOME=" + folder}}}}
	if o.Results, err = OpenResultsAt(filepath.Join(t.TempDir(), "r"), "plan"); err != nil {
		t.Fatal(err)
	}
	defer o.Results.Close()
	one := Trial{Type: "trial", Skill: "card", Case: "one", Arm: With, Run: 1, Fires: true, Outcome: Fired}
	if _, err := o.Results.take(Made{Trial: one}); err != nil {
		t.Fatal(err)
	}
	b, err := NewBundle(o, []*Subject{s})
	if err != nil {
		t.Fatal(err)
	}
	// The same command makes only the missing trials.
	if found, missing, err := b.found(); err != nil || len(found) != 1 || len(missing) != 1 || missing[0].Case != "two" {
		t.Errorf("found %+v, missing %+v, %v", found, missing, err)
	}
	again, err := Again(t.Context(), o, o.Results.Dir, []*Subject{s})
	if err != nil || again.Skills[0].Fired.Hits != 1 || again.Void != 0 {
		t.Errorf("%+v, %v", again, err)
	}
}

// everything returns each file below the folders with its content.
func everything(t *testing.T, dirs ...string) string {
	t.Helper()
	var b strings.Builder
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			b.WriteString(path + "\n" + string(text) + "\n")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// TestPassCredentials checks that a trial gets the login, but nothing that could log the user out.
func TestPassCredentials(t *testing.T) {
	t.Parallel()
	home, trial := t.TempDir(), t.TempDir()
	write(t, filepath.Join(home, ".claude/.credentials.json"),
		`{"claudeAiOauth":{"accessToken":"access","refreshToken":"renew","expiresAt":99999999999999},"other":"secret"}`)
	if err := passCredentials(here.Here{Home: home}, trial); err != nil {
		t.Fatal(err)
	}
	if got := everything(t, trial); !strings.Contains(got, "access") || strings.Contains(got, "renew") || strings.Contains(got, "secret") {
		t.Errorf("passed on: %s", got)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
