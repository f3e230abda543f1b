package session

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// seen claims a skill as a load would, delivers it, and reports whether it was seen before.
func seen(t *testing.T, s Store, id ID, file, hash string) bool {
	t.Helper()
	c, err := s.Claim(id, "skill", file, hash)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Commit(); err != nil {
		t.Fatal(err)
	}
	return c.Seen
}

func TestMarks(t *testing.T) {
	s := Store{Dir: filepath.Join(t.TempDir(), "sessions")}
	main, sub, other := ID{Session: "s1"}, ID{Session: "s1", Agent: "a1"}, ID{Session: "s2"}
	for i, step := range []struct {
		id         ID
		file, hash string
		want       bool
	}{
		{main, "/x", "h1", false},
		{main, "/x", "h1", true},
		{main, "/y", "h1", false},
		{sub, "/x", "h1", false},
		{sub, "/x", "h1", true},
		{other, "/x", "h1", false},
		{main, "/x", "h2", false}, // the skill was changed
		{main, "/x", "h2", true},
		{main, "/x", "h1", false},
	} {
		if got := seen(t, s, step.id, step.file, step.hash); got != step.want {
			t.Errorf("step %d: %+v %s %s was seen: %v, want %v", i, step.id, step.file, step.hash, got, step.want)
		}
	}
	c, err := s.Claim(main, "skill", "/z", "h")
	if err != nil {
		t.Fatal(err)
	}
	c.Close() // the page was not delivered
	if seen(t, s, main, "/z", "h") {
		t.Error("a page that was not delivered counts as seen")
	}
}

func TestUnreadableMark(t *testing.T) {
	s := Store{Dir: t.TempDir()}
	id := ID{Session: "s1"}
	seen(t, s, id, "/x", "h")
	file := filepath.Join(s.Dir, "s1", mainAgent, key("/x"))
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) {
		if err := os.WriteFile(file, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := s.Claim(id, "skill", "/x", "h")
		if err != nil || c.Seen {
			t.Fatalf("a mark cut to %d bytes counts (%v)", n, err)
		}
		c.Close()
	}
	// A mark that was copied to another place is not that one's.
	for _, dir := range []string{"s2/" + mainAgent, "s1/a1"} {
		if err := os.MkdirAll(filepath.Join(s.Dir, dir), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(s.Dir, dir, key("/x")), whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if seen(t, s, ID{Session: "s2"}, "/x", "h") || seen(t, s, ID{Session: "s1", Agent: "a1"}, "/x", "h") {
		t.Error("a copied mark counts")
	}
}

func TestBadIDs(t *testing.T) {
	s := Store{Dir: filepath.Join(t.TempDir(), "sessions")}
	for _, bad := range []string{"", ".", "..", "../../etc", "a/b", "a\nb", "a b", "@main", strings.Repeat("x", 129), strings.Repeat("x", 5000), "ä", "a\x00"} {
		for name, f := range map[string]func() error{
			"claim":  func() error { _, err := s.Claim(ID{Session: bad}, "n", "f", "h"); return err },
			"forget": func() error { return s.Forget(ID{Session: bad}, true) },
			"drop":   func() error { return s.Drop(bad) },
			"note":   func() error { return s.Note(ID{Session: bad}, "n", Turn{}) },
			"taken":  func() error { _, err := s.Taken(bad, "n"); return err },
			"agent": func() error {
				if bad == "" {
					return fmt.Errorf("the main agent")
				}
				_, err := s.Claim(ID{Session: "s", Agent: bad}, "n", "f", "h")
				return err
			},
		} {
			if f() == nil {
				t.Errorf("%s took the id %q", name, bad)
			}
		}
	}
	if _, err := os.Stat(s.Dir); err == nil {
		t.Error("something was written")
	}
}

// TestForgetBeatsCommit: a page that was on its way while its session was
// forgotten does not count as seen afterwards.
func TestForgetBeatsCommit(t *testing.T) {
	for _, all := range []bool{true, false} {
		s := Store{Dir: t.TempDir()}
		id := ID{Session: "s1"}
		c, err := s.Claim(id, "skill", "/x", "h")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Forget(id, all); err != nil {
			t.Fatal(err)
		}
		// Another load makes the folder anew in between.
		seen(t, s, id, "/y", "h")
		if err := c.Commit(); err != nil {
			t.Fatal(err)
		}
		if seen(t, s, id, "/x", "h") {
			t.Errorf("all=%v: a forgotten use counts as seen", all)
		}
	}
}

func TestNotes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := Store{Dir: t.TempDir()}
		take := func(want Waiting) {
			t.Helper()
			if got, err := s.Taken("s1", "foo"); err != nil || got != want {
				t.Errorf("Taken = %+v, %v; want %+v", got, err, want)
			}
		}
		note := func(agent string) {
			t.Helper()
			if err := s.Note(ID{"s1", agent}, "foo", Turn{}); err != nil {
				t.Fatal(err)
			}
		}
		none := Waiting{Known: true}
		take(Waiting{})
		note("a1")
		take(Waiting{Agent: "a1", Noted: true, Known: true})
		take(none) // it was taken
		note("a1")
		note("a1")
		take(Waiting{Agent: "a1", Noted: true, Known: true})
		take(Waiting{Agent: "a1", Noted: true, Known: true})
		take(none)
		note("a1")
		note("a2")
		doubt := func() {
			t.Helper()
			if got, err := s.Taken("s1", "foo"); err != nil || !got.Noted || got.Known {
				t.Errorf("Taken = %+v, %v; want doubt", got, err)
			}
		}
		doubt() // both are
		doubt()
		take(none)
		note("a1")
		note("a2")
		doubt()
		note("a2") // a third while one still waits
		doubt()
		doubt()
		take(none)
		note("a1")
		note("a2")
		doubt()
		time.Sleep(noteAge + time.Second) // the other one never came
		take(none)
		note("")
		take(Waiting{Agent: "", Noted: true, Known: true})
		note("a3")
		if got, err := s.Taken("s1", "bar"); err != nil || got.Noted {
			t.Errorf("a note for another skill was taken: %+v, %v", got, err)
		}
	})
}

func TestOldMark(t *testing.T) {
	s := Store{Dir: t.TempDir()}
	id := ID{Session: "s1"}
	seen(t, s, id, "/x", "h")
	ago := time.Now().Add(-keptFor - time.Hour)
	if err := os.Chtimes(filepath.Join(s.Dir, "s1", mainAgent, key("/x")), ago, ago); err != nil {
		t.Fatal(err)
	}
	if seen(t, s, id, "/x", "h") {
		t.Error("a mark of more than 30 days counts")
	}
}

func TestTakeKnown(t *testing.T) {
	s := Store{Dir: t.TempDir()}
	for _, agent := range []string{"a1", "a2"} {
		if err := s.Note(ID{"s1", agent}, "foo", Turn{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Take(ID{"s1", "a1"}, "foo"); err != nil {
		t.Fatal(err)
	}
	if w, err := s.Taken("s1", "foo"); err != nil || w != (Waiting{Agent: "a2", Noted: true, Known: true}) {
		t.Errorf("Taken = %+v, %v", w, err)
	}
	if err := s.Note(ID{"s1", Unknown}, "foo", Turn{}); err != nil {
		t.Fatal(err)
	}
	if w, err := s.Taken("s1", "foo"); err != nil || !w.Noted || w.Known {
		t.Errorf("an agent that cannot be told: %+v, %v", w, err)
	}
}

func TestHook(t *testing.T) {
	s := Store{Dir: filepath.Join(t.TempDir(), "sessions")}
	main, sub, other := ID{Session: "s1"}, ID{Session: "s1", Agent: "a1"}, ID{Session: "s2"}
	for _, tt := range []struct {
		event                  string
		main, sub, other       bool // whether the skill still counts as seen
		context, stderr, nodir bool
	}{
		{event: `{"hook_event_name":"PreCompact","session_id":"s1","trigger":"manual"}`, other: true},
		{event: `{"hook_event_name":"PreCompact","session_id":"s1","agent_id":"a1"}`, main: true, other: true},
		{event: `{"hook_event_name":"PostCompact","session_id":"s1"}`, other: true},
		{event: `{"hook_event_name":"SessionStart","session_id":"s1","source":"compact"}`, other: true, context: true},
		{event: `{"hook_event_name":"SessionStart","session_id":"s1","source":"clear"}`, other: true},
		{event: `{"hook_event_name":"SessionStart","session_id":"s1","source":"startup"}`, other: true},
		{event: `{"hook_event_name":"SessionStart","session_id":"s1","source":"resume"}`, other: true},
		{event: `{"hook_event_name":"SessionStart","session_id":"s1","source":"something new"}`, other: true},
		{event: `{"hook_event_name":"SessionStart","session_id":"s1"}`, other: true},
		{event: `{"hook_event_name":"SessionStart","session_id":"s1","source":"resume","agent_id":"a1"}`, main: true, other: true},
		{event: `{"hook_event_name":"SubagentStart","session_id":"s1","agent_id":"a1","agent_type":"x"}`, main: true, other: true},
		{event: `{"hook_event_name":"SessionEnd","session_id":"s1","reason":"other"}`, other: true},
		{event: `{"hook_event_name":"Notification","session_id":"s1"}`, main: true, sub: true, other: true, stderr: true},
		{event: `{"hook_event_name":"PreCompact","session_id":"../s1"}`, main: true, sub: true, other: true, stderr: true},
		{event: `{"hook_event_name":"PreCompact"}`, main: true, sub: true, other: true, stderr: true},
		{event: `{"hook_event_name":"SubagentStart","session_id":"s1"}`, main: true, sub: true, other: true, stderr: true},
		{event: `{"hook_event_name":"PreCompact","session_id":"s1","agent_id":7}`, other: true},
		{event: `{"hook_event_name":"PreCompact","session_id":"s1","agent_id":"bad id"}`, other: true},
		{event: `{"hook_event_name":"PreCompact","session_id":"s1","tool_input":"x","source":[]}`, other: true},
		{event: "\ufeff" + `{"hook_event_name":"PreCompact","session_id":"s1"}`, other: true},
		{event: `{"hook_event_name":7}`, main: true, sub: true, other: true, stderr: true},
		{event: `{"session_id":"s1"}`, main: true, sub: true, other: true, stderr: true},
		{event: `[]`, main: true, sub: true, other: true, stderr: true},
		{event: ``, main: true, sub: true, other: true, stderr: true},
		{event: "\x00\xff{", main: true, sub: true, other: true, stderr: true},
	} {
		if err := os.RemoveAll(s.Dir); err != nil {
			t.Fatal(err)
		}
		for _, id := range []ID{main, sub, other} {
			seen(t, s, id, "/x", "h")
		}
		answer, err := s.Hook([]byte(tt.event))
		if (err != nil) != tt.stderr {
			t.Errorf("%s: error %v", tt.event, err)
		}
		if (answer.Output != nil) != tt.context {
			t.Errorf("%s: answer %+v", tt.event, answer)
		}
		if m, u, o := seen(t, s, main, "/x", "h"), seen(t, s, sub, "/x", "h"), seen(t, s, other, "/x", "h"); m != tt.main || u != tt.sub || o != tt.other {
			t.Errorf("%s: seen by main %v, sub %v, other %v; want %v, %v, %v", tt.event, m, u, o, tt.main, tt.sub, tt.other)
		}
	}
}

// TestCompaction goes through the events of a compaction in the order in which they come.
func TestCompaction(t *testing.T) {
	s := Store{Dir: t.TempDir()}
	id := ID{Session: "s1"}
	hook := func(event string) Answer {
		t.Helper()
		a, err := s.Hook([]byte(event))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	mark := func(name string) {
		t.Helper()
		c, err := s.Claim(id, name, "/skills/"+name, "h")
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	compact := func() string {
		t.Helper()
		hook(`{"hook_event_name":"PreCompact","session_id":"s1"}`)
		a := hook(`{"hook_event_name":"SessionStart","session_id":"s1","source":"compact"}`)
		hook(`{"hook_event_name":"PostCompact","session_id":"s1"}`)
		if a.Output == nil {
			return ""
		}
		data, err := json.Marshal(a)
		if err != nil || !strings.HasPrefix(string(data), `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"The conversation`) {
			t.Errorf("the answer is %s, %v", data, err)
		}
		return a.Output.Context
	}
	if got := compact(); got != "" {
		t.Errorf("nothing was loaded, but: %s", got)
	}
	mark("one")
	mark("two")
	if got := compact(); !strings.HasSuffix(got, "\n- two\n- one") {
		t.Errorf("after compaction: %s", got)
	}
	mark("one")
	if got := compact(); !strings.HasSuffix(got, "\n- one\n- two") {
		t.Errorf("after the second: %s", got)
	}
	for i := range 400 {
		mark(fmt.Sprintf("a-skill-with-a-long-name-%d-%s", i, strings.Repeat("x", 40)))
	}
	got := compact()
	if len(got) > maxContext || !strings.Contains(got, "\n- and ") || strings.Count(got, "\n")+1 < 50 {
		t.Errorf("a list of %d characters that ends %q", len(got), got[len(got)-100:])
	}
	hook(`{"hook_event_name":"SessionEnd","session_id":"s1"}`)
	if got := compact(); got != "" {
		t.Errorf("the session ended, but: %s", got)
	}
}

func TestSweep(t *testing.T) {
	s := Store{Dir: t.TempDir()}
	seen(t, s, ID{Session: "old"}, "/x", "h")
	seen(t, s, ID{Session: "mixed"}, "/x", "h")
	seen(t, s, ID{Session: "mixed"}, "/y", "h")
	seen(t, s, ID{Session: "new"}, "/x", "h")
	ago := time.Now().Add(-keptFor - time.Hour)
	for _, path := range []string{
		"old/" + mainAgent + "/" + key("/x"), "old/" + mainAgent, "old", "mixed/" + mainAgent + "/" + key("/x"), "mixed/" + mainAgent,
		"mixed",
	} {
		if err := os.Chtimes(filepath.Join(s.Dir, path), ago, ago); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Sweep(); err != nil {
		t.Fatal(err)
	}
	if seen(t, s, ID{Session: "mixed"}, "/x", "h") {
		t.Error("an old mark counts")
	}
	for session, want := range map[string]bool{"old": false, "mixed": true, "new": true} {
		if _, err := os.Stat(filepath.Join(s.Dir, session)); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", session, err == nil, want)
		}
	}
}

func TestManyAtOnce(t *testing.T) {
	s := Store{Dir: t.TempDir()}
	id := ID{Session: "s1"}
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			if i%10 == 9 {
				if err := s.Forget(id, i%20 == 9); err != nil {
					t.Error(err)
				}
				return
			}
			c, err := s.Claim(id, "skill", "/x", "h")
			if err != nil {
				t.Error(err)
				return
			}
			if err := c.Commit(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	seen(t, s, id, "/x", "h")
	if !seen(t, s, id, "/x", "h") {
		t.Error("all ended, but not as marked")
	}
}

func FuzzHook(f *testing.F) {
	f.Add(`{"hook_event_name":"PreToolUse","session_id":"s1","tool_name":"Skill","tool_input":{"skill":"p:x"}}`)
	f.Add(`{"hook_event_name":"SessionStart","session_id":"s1","source":"compact"}`)
	f.Fuzz(func(t *testing.T, event string) {
		dir := t.TempDir()
		s := Store{Dir: filepath.Join(dir, "sessions")}
		s.Hook([]byte(event))
		if entries, _ := os.ReadDir(dir); len(entries) > 2 { // the store, and the note that it is skillhand's
			t.Errorf("%q wrote outside the store", event)
		}
	})
}

// TestSubagentsAtWork: a subagent's skills are loaded without a note, so while one
// is at work a note of the main agent's may be taken by a load that is not its own.
func TestSubagentsAtWork(t *testing.T) {
	s := Store{Dir: filepath.Join(t.TempDir(), "sessions")}
	hook := func(event string) {
		t.Helper()
		if _, err := s.Hook([]byte(event)); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		event string
		known bool
	}{
		{`{"hook_event_name":"SessionStart","session_id":"s","source":"startup"}`, true},
		{`{"hook_event_name":"SubagentStart","session_id":"s","agent_id":"a1"}`, false},
		{`{"hook_event_name":"SubagentStart","session_id":"s","agent_id":"a2"}`, false},
		{`{"hook_event_name":"SubagentStop","session_id":"s","agent_id":"a1"}`, false},
		{`{"hook_event_name":"SubagentStop","session_id":"s"}`, false},
		{`{"hook_event_name":"SubagentStop","session_id":"s","agent_id":"a2"}`, true},
		{`{"hook_event_name":"SubagentStop","session_id":"s","agent_id":"a2"}`, true},
	} {
		hook(step.event)
		hook(`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Skill","tool_input":{"skill":"x"}}`)
		if w, err := s.Taken("s", "x"); err != nil || !w.Noted || w.Known != step.known {
			t.Errorf("%s: %+v, %v", step.event, w, err)
		}
	}
	// A subagent's own note is its own.
	hook(`{"hook_event_name":"SubagentStart","session_id":"s","agent_id":"a1"}`)
	hook(`{"hook_event_name":"PreToolUse","session_id":"s","agent_id":"a1","tool_name":"Skill","tool_input":{"skill":"x"}}`)
	if w, err := s.Taken("s", "x"); err != nil || !w.Known || w.Agent != "a1" {
		t.Errorf("%+v, %v", w, err)
	}
}

// TestAnotherSubagent: the note of one subagent is not taken for another that starts
// after it, and whose skills are loaded for it without a note.
func TestAnotherSubagent(t *testing.T) {
	s := Store{Dir: filepath.Join(t.TempDir(), "sessions")}
	hook := func(event string) {
		t.Helper()
		if _, err := s.Hook([]byte(event)); err != nil {
			t.Fatal(err)
		}
	}
	const note = `{"hook_event_name":"PreToolUse","session_id":"s","agent_id":"a1","tool_name":"Skill","tool_input":{"skill":"x"}}`
	hook(`{"hook_event_name":"SubagentStart","session_id":"s","agent_id":"a1"}`)
	hook(note)
	hook(`{"hook_event_name":"SubagentStart","session_id":"s","agent_id":"a2"}`)
	if w, err := s.Taken("s", "x"); err != nil || w.Known {
		t.Errorf("a load while another subagent is at work: %+v, %v, want doubt", w, err)
	}
	hook(`{"hook_event_name":"SubagentStop","session_id":"s","agent_id":"a2"}`)
	hook(note)
	if w, err := s.Taken("s", "x"); err != nil || !w.Known || w.Agent != "a1" {
		t.Errorf("a load after it ended: %+v, %v, want a1", w, err)
	}
}

// TestIDs: every agent that has seen something is listed, and nothing else of the store.
func TestIDs(t *testing.T) {
	store := Store{Dir: t.TempDir()}
	for i, id := range []ID{{"s1", ""}, {"s1", "sub"}, {"s2", ""}} {
		c, err := store.Claim(id, "foo", fmt.Sprintf("/skills/%d", i), "h")
		if err == nil {
			err = c.Commit()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Note(ID{Session: "s2"}, "bar", Turn{}); err != nil {
		t.Fatal(err)
	}
	all, err := store.IDs()
	if err != nil || !slices.Equal(all, []ID{{"s1", ""}, {"s1", "sub"}, {"s2", ""}}) {
		t.Fatalf("IDs() = %v, %v", all, err)
	}
	for i, id := range all {
		if marks, err := store.Marks(id); err != nil || len(marks) != 1 || marks[0].File != fmt.Sprintf("/skills/%d", i) {
			t.Errorf("Marks(%v) = %v, %v", id, marks, err)
		}
		if dir, err := store.Folder(id); err != nil || filepath.Dir(filepath.Dir(dir)) != store.Dir {
			t.Errorf("Folder(%v) = %s, %v", id, dir, err)
		}
	}
	if none, err := (Store{Dir: filepath.Join(t.TempDir(), "none")}).IDs(); err != nil || len(none) != 0 {
		t.Errorf("IDs() of no store = %v, %v", none, err)
	}
	if none := store.Agents("../s1"); none != nil {
		t.Errorf("Agents() of no session = %v", none)
	}
}
