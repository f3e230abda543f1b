package web

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/skillhand/skillhand/internal/activity"
	"github.com/skillhand/skillhand/internal/session"
)

// TestOneAccount checks that usage, retro, status, history and the dashboard report the same about
// a machine.
func TestOneAccount(t *testing.T) {
	skills := map[string]string{}
	for _, name := range strings.Fields("called refused run loaded idle") {
		skills[name] = "---\nname: " + name + "\ndescription: For " + name + "\n---\nText.\n"
	}
	p := newPlace(t, true, skills)
	h, err := p.site.Runtime.Complete()
	if err != nil {
		t.Fatal(err)
	}
	h.Session = "s1"
	now := time.Now().UTC().Truncate(time.Second)
	dir := filepath.Join(h.Home, ".claude/projects/p")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	call := func(id, skill, result string) string {
		return fmt.Sprintf(`{"type":"assistant","sessionId":"s1","cwd":%q,"timestamp":%q,"message":{"id":"m%s","model":"claude-opus-5-5","usage":{"input_tokens":1000},`+
			`"content":[{"type":"tool_use","id":"c%s","name":"Skill","input":{"skill":%q}}]}}`+"\n", p.dir,
			now.Format(time.RFC3339), id, id, skill) +
			fmt.Sprintf(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c%s"}]},"toolUseResult":%s}`+"\n", id, result)
	}
	text := call("1", "called", `{"success":true}`) + call("2", "called", `{"success":true}`) +
		call("3", "refused", `"Error: Skill execution blocked by permission rules"`)
	for _, name := range []string{"s1", "copy"} {
		if err := os.WriteFile(filepath.Join(dir, name+".jsonl"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	store := activity.Store{Dir: h.HistoryDir()}
	project := activity.Record{Kind: activity.Run, Skill: "run", Project: h.Project, Time: now}
	for _, ok := range []bool{false, true} {
		r := project
		r.OK, r.Job = ok, "batch/job"
		if err := store.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	claim, err := h.Sessions().Claim(session.ID{Session: "s1"}, "loaded", filepath.Join(p.dir, ".claude/skills/loaded/SKILL.md"), "x")
	if err != nil || claim.Commit() != nil {
		t.Fatal(err)
	}
	claim.Close()

	account, err := activity.Read(h, activity.Options{})
	if err != nil {
		t.Fatal(err)
	}
	retro, err := activity.NewRetro(h, activity.RetroRequest{Since: now.AddDate(0, 0, -1), All: true})
	if err != nil {
		t.Fatal(err)
	}
	status, err := activity.NewStatus(h, activity.StatusRequest{All: true})
	if err != nil {
		t.Fatal(err)
	}
	records, err := store.Read(activity.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for _, used := range [][]activity.Used{retro.Used, retro.Session, status.Used} {
		got := map[string]int{}
		for _, u := range used {
			got[u.Skill] = u.Fired
		}
		if got["called"] != 2 || got["refused"] != 1 || len(got) != 2 {
			t.Errorf("%+v", used)
		}
	}
	for _, s := range account.Skills {
		if s.Counts.Fired() > 0 != !s.Last.IsZero() {
			t.Errorf("%s was called %d times, last %v", s.Name, s.Counts.Fired(), s.Last)
		}
	}
	if n := len(records.Records); n != 2 || retro.Total != n || status.Total != n || retro.Failed != 1 ||
		retro.Retried != 1 || !records.Records[0].Retried {
		t.Errorf("history has %+v, retro %d of which %d failed, status %d", records.Records, retro.Total, retro.Failed, status.Total)
	}
	c := p.browser()
	_, page := p.get(c, "/skills")
	for name := range skills {
		use := account.Used(name, filepath.Join(p.dir, ".claude/skills", name, "SKILL.md"))
		if (use.Count > 0) != (name != "idle") || use.Count > 0 && use.Last.Before(now) {
			t.Errorf("%s: %+v", name, use)
		}
		_, row, _ := strings.Cut(page, `<table class="list`)
		_, row, _ = strings.Cut(row, ">"+name+"<")
		row, _, _ = strings.Cut(row, "</tr>")
		if strings.Contains(row, "no use recorded") != (name == "idle") {
			t.Errorf("%s on the dashboard: %s", name, row)
		}
	}
	if _, page := p.get(c, "/usage"); !strings.Contains(page, account.Advice[0].Command) || !strings.Contains(page, "called") {
		t.Errorf("the dashboard has not the account's advice: %s", account.Advice[0])
	}
}
