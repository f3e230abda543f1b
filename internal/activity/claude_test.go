//go:build unix

package activity

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/test/fakeapi"
	"github.com/skillhand/skillhand/internal/test/realclaude"
)

// TestRealClaude compares the account with the truth, for transcripts that the real CLI writes.
func TestRealClaude(t *testing.T) {
	t.Parallel()
	api := fakeapi.New(t)
	api.Handle(func(q *fakeapi.Request) fakeapi.Answer {
		m, ok := realclaude.Obey(q).(fakeapi.Message)
		if !ok {
			t.Error("no message")
		}
		m.Usage = fakeapi.Usage{Input: 1000, Output: 100, CacheRead: 5000, CacheWrite: 200}
		if len(m.Calls) > 0 {
			m.Text = "I will." // an answer of several parts is several lines
		}
		return m
	})
	c := realclaude.New(t, api)
	skill := func(name, front, body string) {
		c.Write(".claude/skills/"+name+"/SKILL.md", "---\nname: "+name+"\ndescription: For "+name+"s.\n"+front+"---\n"+body+"\n")
	}
	skill("card", "", "Make a card for $ARGUMENTS.")
	skill("broken", "", "X !`cat nothere`")
	skill("hidden", "disable-model-invocation: true\n", "hidden text")
	skill("forked", "context: fork\n", "forked text")
	skill("barred", "", "barred text")
	c.Write("plug/.claude-plugin/plugin.json", `{"name":"plug"}`)
	c.Write("plug/skills/kit/SKILL.md", "---\nname: kit\ndescription: For kits.\n---\nkit text\n")
	s := c.Start("--allowedTools", "Skill,Agent", "--disallowedTools", "Skill(barred)", "--plugin-dir", filepath.Join(c.Project, "plug"))
	agent := `call Agent {"description": "d", "subagent_type": "general-purpose", "model": "haiku", "run_in_background": false, "prompt": "call Skill {\"skill\": \"card\"}"}`
	for _, prompt := range []string{
		`call Skill {"skill": "card", "args": "Ada"}`, `call Skill {"skill": "broken"}`, `call Skill {"skill": "nosuch"}`,
		`call Skill {"skill": "hidden"}`,
		`call Skill {"skill": "barred"}`, "/card Bob", "/broken", `call Skill {"skill": "plug:kit"}`, agent,
		`call Skill {"skill": "forked"}`, "/forked", "/hidden",
	} {
		s.Send(prompt)
	}
	s.Close()
	session := api.Last().Session
	c.Run("-p", "more", "--resume", session)

	h := here.Here{Dir: c.Project, Home: c.Home, State: t.TempDir(), Env: here.Env{"HOME=" + c.Home}}
	r := read(t, h, Options{})
	want := map[string]Counts{
		"card":     {Offered: 1, ByModel: 2, ByPerson: 1, Delivered: 3, Subagent: 1},
		"broken":   {Offered: 1, ByModel: 1, ByPerson: 1, Failed: 2},
		"nosuch":   {ByModel: 1, Unknown: 1},
		"hidden":   {ByModel: 1, ByPerson: 1, Refused: 1, Delivered: 1},
		"barred":   {Offered: 1, ByModel: 1, Refused: 1},
		"plug:kit": {Offered: 1, ByModel: 1, Delivered: 1},
		"forked":   {Offered: 1, ByModel: 1, ByPerson: 1, Delivered: 2, Forked: 2},
	}
	if diff := cmp.Diff(want, used(r, want)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if r.Total.Turns != len(api.Requests()) {
		t.Errorf("%d turns, %d requests", r.Total.Turns, len(api.Requests()))
	}
	own := recordedCost(t, c.Home)
	if math.Abs(r.Total.Known()-own) > 1e-9 {
		t.Errorf("$%v, Claude Code says $%v", r.Total.Known(), own)
	}
	// The price table alone gives the same result: the CLI's own cost is not needed.
	var table float64
	for _, f := range mustFolders(t, h) {
		f.load()
		for _, e := range f.shard.Files {
			e.Tally.Paid = nil
		}
		p := newAccountant(Options{})
		p.add(f)
		table += p.account().Total.Known()
	}
	if math.Abs(table-own) > 0.005 {
		t.Errorf("by the table $%v, Claude Code says $%v", table, own)
	}
	if forked, err := Read(h, Options{Skill: "forked"}); err != nil || len(forked.Story) != 2 {
		t.Errorf("two forks, of which the story has %+v, %v", forked, err)
	}
	again := read(t, h, Options{})
	if again.Read != 0 {
		t.Errorf("the second look read %d bytes", again.Read)
	}

	c.Run("-p", "and more", "--resume", session, "--fork-session") // copies the session
	c.Run("-p", "last", "--resume", session)
	r = read(t, h, Options{})
	if diff := cmp.Diff(want, used(r, want)); diff != "" {
		t.Errorf("after a copy, -want +got:\n%s", diff)
	}
	if r.Total.Turns != len(api.Requests()) {
		t.Errorf("after a copy: %d turns, %d requests", r.Total.Turns, len(api.Requests()))
	}
}

// TestRealCompaction has the real CLI compact a session that holds a skill's text, and start a new
// session.
func TestRealCompaction(t *testing.T) {
	t.Parallel()
	api := fakeapi.New(t)
	api.Handle(realclaude.Obey)
	c := realclaude.New(t, api)
	c.Write(".claude/skills/card/SKILL.md", "---\nname: card\ndescription: For cards.\n---\nMake a card for $ARGUMENTS.\n")
	s := c.Start("--allowedTools", "Skill")
	for _, prompt := range []string{`call Skill {"skill": "card"}`, "/compact", `call Skill {"skill": "card"}`, "/clear", "hello"} {
		s.Send(prompt)
	}
	s.Close()
	r := read(t, here.Here{Dir: c.Project, Home: c.Home, State: t.TempDir(), Env: here.Env{"HOME=" + c.Home}}, Options{})
	want := map[string]Counts{"card": {Offered: 2, ByModel: 2, Delivered: 2, Compacted: 1, Restored: 1}}
	if diff := cmp.Diff(want, used(r, want)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if own := recordedCost(t, c.Home); math.Abs(r.Total.Known()-own) > 1e-9 {
		t.Errorf("$%v, Claude Code says $%v", r.Total.Known(), own)
	}
}

// TestRealCopies has the real CLI copy sessions in all of its ways, and fail to render pages. It
// checks that each request and each call counts once, with its right outcome.
func TestRealCopies(t *testing.T) {
	t.Parallel()
	api := fakeapi.New(t)
	api.Handle(func(q *fakeapi.Request) fakeapi.Answer {
		m, _ := realclaude.Obey(q).(fakeapi.Message)
		m.Usage = fakeapi.Usage{Input: 1000, Output: 100, CacheRead: 5000, CacheWrite: 200}
		return m
	})
	c := realclaude.New(t, api)
	c.Write("no.sh", "#!/bin/sh\necho permission denied >&2\nexit 1\n")
	for name, text := range map[string]string{
		"card":    "---\nMake a card for $ARGUMENTS.",
		"blocked": "---\nX !`whoami > x`",
		"denied":  "allowed-tools: Bash(./no.sh)\n---\nX !`./no.sh`",
	} {
		c.Write(".claude/skills/"+name+"/SKILL.md", "---\nname: "+name+"\ndescription: For "+name+".\n"+text+"\n")
	}
	s := c.Start("--allowedTools", "Skill,Agent")
	nested := `call Agent {"description": "e", "subagent_type": "general-purpose", "prompt": "hello"}`
	input, err := json.Marshal(map[string]any{"description": "d", "subagent_type": "general-purpose",
		"run_in_background": false, "prompt": nested})
	if err != nil {
		t.Fatal(err)
	}
	for _, prompt := range []string{
		`call Skill {"skill": "blocked"}`, `call Skill {"skill": "denied"}`, "/blocked", "/denied",
		`call Skill {"skill": "card"}` + "\ncall Agent " + string(input),
	} {
		s.Send(prompt)
	}
	s.Close()
	id := api.Last().Session
	c.Run("-p", "more", "--resume", id, "--fork-session", "--model", "claude-sonnet-4-5[1m]")
	terminal := c.Open("--resume", id, "--fork-session")
	terminal.Type("hello there")
	terminal.Await("Stop")
	terminal.Close()
	terminal = c.Open()
	terminal.Type("/card Bob")
	terminal.Await("Stop")
	terminal.Type("/branch")
	terminal.Shows("Branched")
	terminal.Type("and on")
	terminal.Await("Stop")
	terminal.Close()

	r := read(t, here.Here{Dir: c.Project, Home: c.Home, State: t.TempDir(), Env: here.Env{"HOME=" + c.Home}}, Options{})
	want := map[string]Counts{
		"card":    {Offered: 2, ByModel: 1, ByPerson: 1, Delivered: 2},
		"blocked": {Offered: 2, ByModel: 1, ByPerson: 1, Failed: 2, Blocked: 2},
		"denied":  {Offered: 2, ByModel: 1, ByPerson: 1, Failed: 2},
	}
	if diff := cmp.Diff(want, used(r, want)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	requests := len(api.Requests())
	if got := r.Total.Work.Input + r.Total.Text.Input; r.Total.Turns != requests || got != int64(1000*requests) {
		t.Errorf("%d turns with %d tokens of input, %d requests", r.Total.Turns, got, requests)
	}
	for _, s := range r.Skills {
		if s.Name == "card" && s.Cost.Turns < 4 { // its own turn, the turn after /card, the subagent's, and the subagent's subagent's
			t.Errorf("%d turns of card", s.Cost.Turns)
		}
	}
}

// used returns the counts of skills that were called or are wanted.
func used(r *Account, want map[string]Counts) map[string]Counts {
	got := map[string]Counts{}
	for _, s := range r.Skills {
		if _, ok := want[s.Name]; ok || s.Counts.Fired() > 0 {
			got[s.Name] = s.Counts
		}
	}
	return got
}

func mustFolders(t *testing.T, h here.Here) []*folder {
	t.Helper()
	all, err := folders(h, "")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// recordedCost returns the sum of the costs that Claude Code recorded at the end of each session:
// the last record of each file.
func recordedCost(t *testing.T, home string) (sum float64) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(home, ".claude/projects/*/*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range slices.Backward(bytes.Split(data, []byte("\n"))) {
			if v := value(line); v.get("type").str() == "cost-state" {
				sum += v.get("totalCostUSD").float()
				break
			}
		}
	}
	return sum
}
