package activity

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/test"
)

// A transcript is a transcript that a test writes, in Claude Code's form.
type transcript struct {
	strings.Builder
	session string
	now     time.Time
	n       int
}

func (w *transcript) line(format string, args ...any) {
	w.now = w.now.Add(time.Second)
	fmt.Fprintf(w, `{"sessionId":%q,"cwd":"/home/ada/shop","version":"2.1.325","timestamp":%q,`, w.session, w.now.Format(time.RFC3339Nano))
	fmt.Fprintf(w, format+"}\n", args...)
}

func (w *transcript) list(names ...string) {
	text := "- " + strings.Join(names, ": What it is for.\n- ") + ": What it is for."
	list, _ := json.Marshal(names)
	content, _ := json.Marshal(text)
	w.line(`"type":"attachment","attachment":{"type":"skill_listing","names":%s,"content":%s}`, list, content)
}

func (w *transcript) prompt(text string) {
	w.line(`"type":"user","message":{"role":"user","content":%q}`, text)
}

func (w *transcript) turn(output int, content string) {
	w.n++
	w.line(`"type":"assistant","requestRef":"%s-%d","message":{"model":"claude-opus-5-5","usage":{"input_tokens":100,"output_tokens":%d,"cache_read_input_tokens":9000},"content":[%s]}`,
		w.session, w.n, output, content)
}

// call adds a call by the model, then the turns of the skill's work.
func (w *transcript) call(skill, result string, turns, output int) {
	w.prompt("please")
	id := fmt.Sprintf("toolu_%s_%d", w.session, w.n)
	w.turn(50, fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"Skill","input":{"skill":%q}}`, id, skill))
	w.line(`"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q}]},"toolUseResult":%s`, id, result)
	if strings.HasPrefix(result, "{") {
		w.line(`"type":"user","isMeta":true,"sourceToolUseID":%q,"message":{"role":"user","content":[{"type":"text","text":%q}]}`,
			id, strings.Repeat("text ", 80))
	}
	for range turns {
		w.turn(output, `{"type":"text","text":"done"}`)
	}
}

func (w *transcript) person(skill string) {
	w.line(`"type":"user","message":{"role":"user","content":"<command-name>/%s</command-name>"}`, skill)
	w.line(`"type":"user","isMeta":true,"message":{"role":"user","content":[{"type":"text","text":%q}]}`, strings.Repeat("text ", 80))
	w.turn(50, `{"type":"text","text":"done"}`)
}

const success = `{"success":true}`

// TestPlanted checks a machine with ten skills, five of them with a problem. Advice must name these
// five and no other.
func TestPlanted(t *testing.T) {
	home := t.TempDir()
	project := filepath.Join(home, "shop")
	now := time.Now().UTC()
	old := now.AddDate(0, -6, 0)
	all := strings.Fields("invoice refund label stock price mail unseen barred meant stale")
	about := map[string]string{
		"invoice": "Writes invoices for customers in Markdown", "refund": "Pays money back after a complaint",
		"label": "Prints parcel labels with addresses", "stock": "Counts what lies on shelves",
		"price": "Finds prices of competitors online", "mail": "Answers letters politely and briefly",
		"unseen": "Draws charts about revenue growth", "barred": "Deletes accounts of former staff",
		"meant": "Plans shifts of employees weekly", "stale": "Translates manuals into Finnish language",
	}
	for _, name := range all {
		file := filepath.Join(project, ".claude/skills", name, "SKILL.md")
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("---\nname: "+name+"\ndescription: "+about[name]+"\n---\nText.\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, old, old); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(home, ".claude/projects/shop")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		w := &transcript{session: fmt.Sprint("s", i), now: now.AddDate(0, 0, -i-1)}
		w.list("invoice", "refund", "label", "stock", "price", "mail", "barred", "meant", "stale") // not invisible
		for _, name := range []string{"invoice", "refund", "label", "stock"} {
			w.call(name, success, 2, 100)
		}
		w.call("price", success, 40, 4000)                                               // costly
		w.call("barred", `"Error: Skill execution blocked by permission rules"`, 1, 100) // refused
		w.call("mail", success, 1, 100)
		w.person("meant") // lost to mail
		w.prompt("something else")
		w.turn(50, `{"type":"text","text":"done"}`)
		w.person("invoice") // after a prompt without a skill: lost to none
		text := strings.ReplaceAll(w.String(), "/home/ada/shop", project)
		if err := os.WriteFile(filepath.Join(dir, w.session+".jsonl"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	h, err := here.Here{Dir: project, Home: home, State: t.TempDir(), Env: here.Env{"HOME=" + home}}.Complete()
	if err != nil {
		t.Fatal(err)
	}
	r := read(t, h, Options{Since: now.AddDate(0, 0, -30), Installed: InstalledAt(h)})
	got := map[string]string{}
	for _, a := range r.Advice {
		got[a.Skill] += a.Kind
	}
	want := map[string]string{"unseen": Invisible, "barred": Refused, "meant": Lost, "stale": Unused, "price": Costly}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s\n%+v", diff, r.Advice)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if fault := test.OurSchema(t, "usage-v1").Fault(text); fault != nil {
		t.Error(fault)
	}
	for _, secret := range []string{"please", "text text", "something else", "What it is for"} {
		if strings.Contains(string(text), secret) || strings.Contains(indexText(t, h), secret) {
			t.Errorf("%q left the transcripts", secret)
		}
	}
	if got := Uncalled(h, now.AddDate(0, 0, -30)); !slices.Equal(got, []string{"stale"}) {
		t.Errorf("uncalled: %q", got)
	}
	one, err := Read(h, Options{Skill: "barred"})
	if err != nil || len(one.Story) != 6 || len(one.Skills) != 1 {
		t.Fatalf("%+v, %v", one, err)
	}
	if _, prompt, err := Prompt(h, Options{Skill: "barred"}, one.Story[3].ID); err != nil || prompt != "please" {
		t.Errorf("prompt: %q, %v", prompt, err)
	}
	typed, err := Read(h, Options{Skill: "meant"})
	if err != nil || len(typed.Story) != 6 {
		t.Fatalf("%+v, %v", typed, err)
	}
	if _, _, err := Prompt(h, Options{Skill: "meant"}, typed.Story[0].ID); !errors.Is(err, errTyped) {
		t.Errorf("a call that a person typed: %v", err)
	}
}

// indexText returns everything that the index keeps.
func indexText(t *testing.T, h here.Here) string {
	t.Helper()
	var all strings.Builder
	files, err := filepath.Glob(filepath.Join(Dir(h), "*"))
	if err != nil || len(files) == 0 {
		t.Fatal("no index")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
	}
	return all.String()
}

// TestOTLP checks that every request and every call of a skill is a span.
func TestOTLP(t *testing.T) {
	h := at(t, "testdata/claude/one")
	h.Env = append(h.Env, "CLAUDE_CONFIG_DIR="+h.Home)
	var out strings.Builder
	n, err := WriteOTLP(&out, h, Options{})
	if err != nil {
		t.Fatal(err)
	}
	chats, tools := strings.Count(out.String(), `"name":"chat claude-opus-5-5"`), strings.Count(out.String(), `"name":"execute_tool Skill"`)
	const silent = 1 // a compaction's request, which has no line
	if turns := read(t, h, Options{}).Total.Turns; chats != turns-silent || chats+tools != n || tools == 0 {
		t.Errorf("%d spans: %d chats, %d tools; %d turns", n, chats, tools, turns)
	}
	for line := range strings.Lines(out.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("no JSON: %s", line)
		}
	}
}
