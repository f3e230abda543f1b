//go:build unix

package agents_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/agents"
	"github.com/skillhand/skillhand/internal/test"
	"github.com/skillhand/skillhand/internal/test/realagent"
)

// TestRealLists: the real agents send of a layout to their models what is recorded.
func TestRealLists(t *testing.T) {
	test.Real(t)
	for _, l := range readLayouts(t) {
		t.Run(strings.TrimSuffix(filepath.Base(l.file), ".txtar"), func(t *testing.T) {
			var names []string
			var mu sync.Mutex
			cells := map[string][]string{}
			t.Run("agents", func(t *testing.T) {
				for _, a := range agents.Driven() {
					names = append(names, a.Name)
					t.Run(a.Name, func(t *testing.T) {
						t.Parallel()
						got := l.ask(t, a)
						mu.Lock()
						defer mu.Unlock()
						cells[a.Name] = got
					})
				}
			})
			if t.Failed() {
				return
			}
			got := l.table(names, cells)
			if *test.Record {
				l.put(t, got)
			} else if diff := cmp.Diff(l.want(), got); diff != "" {
				t.Errorf("%s (-recorded +listed now):\n%s", l.file, diff)
			}
		})
	}
}

func (l *layout) put(t *testing.T, lists string) {
	t.Helper()
	for i, f := range l.archive.Files {
		if f.Name == "lists" {
			l.archive.Files[i].Data = []byte(lists)
		}
	}
	if err := os.WriteFile(l.file, txtar.Format(l.archive), 0o666); err != nil {
		t.Fatal(err)
	}
}

// ask starts an agent among the skills, and looks for each skill in what the agent sends.
func (l *layout) ask(t *testing.T, a *agents.Agent) []string {
	t.Helper()
	project, home := shortDir(t), shortDir(t)
	model := realagent.NewModel(t, func(realagent.Request) realagent.Answer { return realagent.Answer{Text: "all done"} })
	setup := realagent.New(t, a, model.URL, home)
	l.lay(t, project, home)
	dialect, err := skillhand.Agent(a.Name)
	if err != nil {
		t.Fatal(err)
	}
	client := claude.Client{
		Path: setup.Program, Dialect: dialect, Timeout: 5 * time.Minute,
		Env: append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir()}, setup.Env...),
	}
	if _, err := client.Ask(t.Context(), claude.Request{Prompt: "hello there", Dir: project, Model: setup.Model,
		Args: setup.Yolo}); err != nil {
		t.Fatal(err)
	}
	var sent strings.Builder
	for _, q := range model.Requests() {
		var body any
		if err := json.Unmarshal([]byte(q.Body), &body); err != nil {
			t.Fatal(err)
		}
		texts(body, &sent)
	}
	var cells []string
	seen := map[string]bool{}
	for _, r := range l.rows {
		cells = append(cells, r.in(sent.String()))
		seen[r.said] = seen[r.said] || cells[len(cells)-1] == "seen"
	}
	for i, r := range l.rows {
		if cells[i] == "name" && seen[r.said] {
			cells[i] = "-" // it is the name of another skill
		}
	}
	return cells
}

// shortDir returns a folder with a short path. Codex subtracts long paths of folders from the room
// of its list.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// texts collects the strings in a JSON value.
func texts(v any, to *strings.Builder) {
	switch v := v.(type) {
	case string:
		to.WriteString(v + "\n")
	case []any:
		for _, x := range v {
			texts(x, to)
		}
	case map[string]any:
		for _, x := range v {
			texts(x, to)
		}
	}
}

// in returns which part of a skill is in a text.
func (r row) in(sent string) string {
	if strings.Contains(sent, r.mark) {
		return "seen"
	}
	const least = 25 // the characters by which a generated text differs from the others
	low, high := 0, len(r.mark)
	for low+1 < high { // find the longest beginning
		if mid := (low + high) / 2; strings.Contains(sent, r.mark[:mid]) {
			low = mid
		} else {
			high = mid
		}
	}
	name := regexp.QuoteMeta(r.said)
	switch listed, _ := regexp.MatchString(`(?m)(^|<name>|^- |, |: )`+name+`(</name>|,|: |$)`, sent); {
	case low >= least && len(r.mark) > 2*least:
		return fmt.Sprintf("cut %d", low)
	case listed:
		return "name"
	}
	return "-"
}
