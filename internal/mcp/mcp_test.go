package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/test"
	"github.com/skillhand/skillhand/internal/trust"
)

// A place is a home and a project for a test.
type place struct {
	t             testing.TB
	home, project string
}

func newPlace(t testing.TB) *place {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t, filepath.Join(root, "home"), filepath.Join(root, "project")}
	for _, dir := range []string{p.home, p.project} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// skill writes a skill of the user, with more fields in its frontmatter.
func (p *place) skill(name, fields, body string) {
	p.write(filepath.Join(p.home, ".claude/skills", name, "SKILL.md"), "---\nname: "+name+"\n"+fields+"\n---\n"+body)
}

func (p *place) write(file, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) server() *Server {
	env := here.Env{"HOME=" + p.home, "PATH=" + os.Getenv("PATH"), "CLAUDE_CODE_SESSION_ID=s", "SKILLHAND_HISTORY=off",
		"API_TOKEN=" + secret}
	return &Server{Runtime: &skillhand.Runtime{Here: here.Here{Dir: p.project, Env: env}}, Warn: func(text string) { p.t.Log(text) }}
}

// A client speaks the protocol without a library, so that it can also break the rules.
type client struct {
	t    testing.TB
	in   *io.PipeWriter
	done chan error // the result of Serve

	mu      sync.Mutex
	waiting map[string]chan reply // by id; notifications by method
	id      int
}

type reply struct {
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

// connect starts a server and initializes the connection.
func (p *place) connect() *client { return p.connectTo(p.server()) }

func (p *place) connectTo(s *Server) *client { return p.connectAs("test", s) }

// connectAs initializes the connection as the named host.
func (p *place) connectAs(host string, s *Server) *client {
	p.t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	c := &client{t: p.t, in: toServer, done: make(chan error, 1), waiting: map[string]chan reply{}}
	go func() {
		err := s.Serve(context.Background(), in, out)
		out.Close()
		c.done <- err
	}()
	go c.read(fromServer)
	p.t.Cleanup(func() { toServer.Close() })
	c.call("initialize", fmt.Sprintf(`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":%q,"version":"1"}}`, host))
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *client) read(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var msg struct {
			ID     json.RawMessage
			Method string
			reply
		}
		if err := json.Unmarshal(line, &msg); err != nil {
			c.t.Errorf("%s: %v", line, err)
		}
		key := msg.Method
		if key == "" {
			key = string(msg.ID)
		}
		c.expect(key) <- msg.reply
	}
}

// expect returns the channel for a reply.
func (c *client) expect(key string) chan reply {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting[key] == nil {
		c.waiting[key] = make(chan reply, 100)
	}
	return c.waiting[key]
}

func (c *client) send(line string) {
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Errorf("send: %v", err)
	}
}

// start sends a call. It returns the call's id and the channel for the reply.
func (c *client) start(method, params string) (int, chan reply) {
	c.mu.Lock()
	c.id++
	id := c.id
	c.mu.Unlock()
	ch := c.expect(fmt.Sprint(id))
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
	return id, ch
}

func (c *client) call(method, params string) reply {
	c.t.Helper()
	_, ch := c.start(method, params)
	return c.wait(ch, method)
}

// patience limits the wait for something that hangs. On a busy machine a 10 MB argument takes more
// than a minute.
const patience = 10 * time.Minute

func (c *client) wait(ch chan reply, what string) reply {
	c.t.Helper()
	select {
	case r := <-ch:
		return r
	case <-time.After(patience):
		c.t.Fatalf("%s: no reply", what)
		return reply{}
	}
}

// tool calls a tool. text is what the model reads.
func (c *client) tool(name string, input any) (text string, doc json.RawMessage, failed bool) {
	c.t.Helper()
	return content(c.t, c.call("tools/call", toolCall(name, input)))
}

func toolCall(name string, input any) string {
	text, _ := json.Marshal(map[string]any{"name": name, "arguments": input})
	return string(text)
}

func content(t testing.TB, r reply) (text string, doc json.RawMessage, failed bool) {
	t.Helper()
	var res struct {
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	if r.Error != nil {
		t.Fatalf("%+v", r.Error)
	}
	if err := json.Unmarshal(r.Result, &res); err != nil || len(res.Content) != 1 {
		t.Fatalf("%s: %v", r.Result, err)
	}
	return res.Content[0].Text, res.StructuredContent, res.IsError
}

func (c *client) load(name, arguments string) string {
	c.t.Helper()
	text, _, failed := c.tool("load_skill", map[string]any{"name": name, "arguments": arguments})
	if failed {
		c.t.Fatalf("%s: %s", name, text)
	}
	return text
}

// valid checks that a document is valid by a schema.
func valid(t *testing.T, name string, doc []byte) {
	t.Helper()
	if err := test.OurSchema(t, name).Fault(doc); err != nil {
		t.Errorf("%s: %v", doc, err)
	}
}

func TestLoadSkill(t *testing.T) {
	p := newPlace(t)
	p.skill("greet", "description: Greets.", "Say [$ARGUMENTS].\n\n!`echo now`\n")
	p.skill("mine", "description: For people.\ndisable-model-invocation: true", "Mine.\n")
	p.write(filepath.Join(p.project, ".claude/skills/theirs/SKILL.md"), "---\ndescription: SECRET\n---\n!`touch ran`\n")
	p.write(filepath.Join(p.project, "elsewhere/SKILL.md"), "Elsewhere.\n")
	p.skill("argued", "description: Has none.", "Text.\n")
	c := p.connect()

	const odd = "\"Ada L\" it's\n`touch ran` $(touch ran) ; touch ran \\ ${HOME}"
	for range 2 { // always the whole text
		text, doc, failed := c.tool("load_skill", map[string]any{"name": "greet", "arguments": odd})
		if want := "Say [" + odd + "].\n\n<skill-output>\nnow\n</skill-output>\n"; text != want || failed {
			t.Errorf("got %q, want %q", text, want)
		}
		valid(t, "load-v1", doc)
	}
	if got := c.load("argued", odd); got != "Text.\n\n\nARGUMENTS: "+odd {
		t.Errorf("a skill without a place for arguments: %q", got)
	}
	text, _, _ := c.tool("load_skill", map[string]any{"name": "greet", "output_only": true})
	if strings.Contains(text, "Say [") || !strings.Contains(text, "<skill-output>\nnow\n") {
		t.Errorf("output_only: %q", text)
	}
	for _, tt := range []struct {
		input any
		want  string
	}{
		{map[string]any{"name": "theirs"}, "theirs: not run: " + p.project + " is not trusted"},
		{map[string]any{"name": "mine"}, "mine: agents cannot load it"},
		{map[string]any{"name": "gret"}, "gret: no such skill: did you mean greet?"},
		{map[string]any{"name": "./elsewhere"}, "a path, want the name of a skill"},
		{map[string]any{"name": "../project/elsewhere"}, "a path, want the name of a skill"},
		{map[string]any{"name": p.project + "/elsewhere"}, "a path, want the name of a skill"},
		{map[string]any{"name": "."}, "a path, want the name of a skill"},
		{map[string]any{"name": ".."}, `"..": a skill's name`},
		{map[string]any{}, "name is empty"},
		{map[string]any{"name": 7}, "load_skill: cannot unmarshal number"},
		{map[string]any{"name": "greet", "args": "x"}, `unknown field "args"`},
		{[]int{1}, "load_skill: cannot unmarshal array"},
	} {
		if text, _, failed := c.tool("load_skill", tt.input); !failed || !strings.Contains(text, tt.want) {
			t.Errorf("%v: %q (failed: %v), want %q", tt.input, text, failed, tt.want)
		}
	}
	if _, err := os.Stat(filepath.Join(p.project, "ran")); err == nil {
		t.Error("an argument, or a skill that nobody trusted, ran a command")
	}
	list := string(c.call("tools/list", "{}").Result)
	if !strings.Contains(list, "- greet: Greets.") || strings.Contains(list, "mine") || strings.Contains(list, "theirs") ||
		strings.Contains(list, "SECRET") {
		t.Errorf("the catalogue: %s", list)
	}
	if r := c.call("tools/call", toolCall("run_skill", map[string]any{"name": "greet"})); r.Error == nil {
		t.Errorf("run_skill without --allow-run: %s", r.Result)
	}
}

func TestFindSkill(t *testing.T) {
	p := newPlace(t)
	p.skill("pdf", "description: Fills forms.", "")
	p.skill("forms", "description: Makes forms for the web.", "")
	p.skill("other", "description: Something else.", "")
	c := p.connect()
	for query, want := range map[string]string{
		"web forms": "- forms: Makes forms for the web.\n- pdf: Fills forms.\n",
		"FORMS!":    "- forms: Makes forms for the web.\n- pdf: Fills forms.\n",
		"zebra":     "None of the 3 skills here fits. Try other words.\n",
		"":          "- forms: Makes forms for the web.\n- other: Something else.\n- pdf: Fills forms.\n",
	} {
		text, doc, _ := c.tool("find_skill", map[string]any{"query": query})
		if text != want {
			t.Errorf("%q: %q, want %q", query, text, want)
		}
		var found struct{ Skills []json.RawMessage }
		if err := json.Unmarshal(doc, &found); err != nil || len(found.Skills) != strings.Count(text, "- ") {
			t.Errorf("%q: %s", query, doc)
		}
		for _, one := range found.Skills {
			valid(t, "list-v1", one)
		}
	}
}

func TestRunSkill(t *testing.T) {
	p := newPlace(t)
	p.skill("job", "description: Does it.", "")
	script := filepath.Join(p.home, ".claude/skills/job/execute.sh")
	p.write(script, "#!/bin/sh\nprintf '{\"success\":%s,\"confidence\":0.9,\"deliverables\":[],\"metrics\":{},\"errors\":[]}' \"$1\"; printf '%s' \"$2\" >said\n")
	if err := os.Chmod(script, 0o777); err != nil {
		t.Fatal(err)
	}
	s := p.server()
	s.AllowRun = true
	c := p.connectTo(s)
	for _, ok := range []bool{true, false} {
		text, doc, failed := c.tool("run_skill", map[string]any{"name": "job", "arguments": []string{fmt.Sprint(ok), "a  b; c"}})
		said, err := os.ReadFile(filepath.Join(p.project, "said"))
		if failed == ok || string(said) != "a  b; c" {
			t.Errorf("%v: %s; %q, %v", ok, text, said, err)
		}
		valid(t, "run-v1", doc)
	}
}

func TestPrompts(t *testing.T) {
	p := newPlace(t)
	p.skill("greet", "description: Greets.\nargument-hint: \"[who]\"", "Say [$ARGUMENTS].")
	p.skill("mine", "description: For people.\ndisable-model-invocation: true", "Mine.")
	p.skill("inner", "description: For agents.\nuser-invocable: false", "Inner.")
	p.write(filepath.Join(p.project, ".claude/skills/theirs/SKILL.md"), "Theirs.")
	c := p.connectAs(claudeCode, p.server())
	var list struct {
		Prompts []struct {
			Name      string
			Arguments []struct {
				Name, Description string
				Required          bool
			}
		}
	}
	if err := json.Unmarshal(c.call("prompts/list", "{}").Result, &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Prompts) != 2 || list.Prompts[0].Name != "greet" || list.Prompts[1].Name != "mine" {
		t.Fatalf("%+v", list.Prompts)
	}
	arguments := list.Prompts[0].Arguments
	if arguments[0].Description != "[who]" || arguments[0].Required {
		t.Errorf("%+v", arguments[0])
	}
	get := func(given map[string]string) reply {
		params, _ := json.Marshal(map[string]any{"name": "greet", "arguments": given})
		return c.call("prompts/get", string(params))
	}
	// A host that splits at white space passes the words as one argument each, in order.
	const typed = `"Ada  Lovelace" it's sunny`
	split := map[string]string{}
	for i, word := range strings.Fields(typed) {
		split[arguments[i].Name] = word
	}
	for _, tt := range []struct {
		given map[string]string
		want  string
	}{
		{nil, "Say []."},
		{split, `Say ["Ada Lovelace" it's sunny].`},
		{map[string]string{arguments[0].Name: typed + "\n`x`"}, "Say [" + typed + "\n`x`]."},
	} {
		var got struct {
			Messages []struct {
				Role    string
				Content struct{ Text string }
			}
		}
		r := get(tt.given)
		if err := json.Unmarshal(r.Result, &got); err != nil || len(got.Messages) != 1 || got.Messages[0].Role != "user" ||
			got.Messages[0].Content.Text != tt.want {
			t.Errorf("%v: %s %+v, want %q", tt.given, r.Result, r.Error, tt.want)
		}
	}
	full := map[string]string{}
	for _, a := range arguments {
		full[a.Name] = "w"
	}
	if r := get(full); r.Error == nil || !strings.Contains(r.Error.Message, "more than 63 words") {
		t.Errorf("words that may have been dropped: %s", r.Result)
	}
	for name, want := range map[string]string{"inner": "people cannot call it", "theirs": "is not trusted", "none": "no such skill"} {
		if r := c.call("prompts/get", fmt.Sprintf(`{"name":%q}`, name)); r.Error == nil || !strings.Contains(r.Error.Message, want) {
			t.Errorf("%s: %s %+v", name, r.Result, r.Error)
		}
	}
}

// TestPromptForms: a host that shows a form has one field for all arguments, or the fields that the
// skill names.
func TestPromptForms(t *testing.T) {
	p := newPlace(t)
	p.skill("greet", "description: Greets.", "Say [$ARGUMENTS].")
	p.skill("named", "description: Greets.\narguments: [who, where]", "Say [$who] in [$where].")
	c := p.connectAs("inspector-cli", p.server())
	var list struct {
		Prompts []struct{ Arguments []struct{ Name string } }
	}
	if err := json.Unmarshal(c.call("prompts/list", "{}").Result, &list); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(list.Prompts); got != "[{[{arguments}]} {[{who} {where}]}]" {
		t.Errorf("prompts have the arguments %s", got)
	}
	for _, tt := range []struct{ call, want string }{
		{`{"name":"greet","arguments":{"arguments":"Ada  \"Lovelace\" x"}}`, `Say [Ada  \"Lovelace\" x].`},
		{`{"name":"named","arguments":{"who":"Ada  Lovelace; $(x) it's","where":"here"}}`, `Say [Ada  Lovelace; $(x) it's] in [here].`},
		{`{"name":"named","arguments":{"where":"here"}}`, `Say [] in [here].`},
		{`{"name":"named","arguments":{"arguments":"Ada here"}}`, `Say [Ada] in [here].`},
	} {
		if r := c.call("prompts/get", tt.call); !strings.Contains(string(r.Result), tt.want) {
			t.Errorf("%s: %s %+v, want %s", tt.call, r.Result, r.Error, tt.want)
		}
	}
}

func TestCatalogue(t *testing.T) {
	many := func(n int, about string) []entry {
		var all []entry
		for i := range n {
			e := entry{}
			e.listed.Call, e.listed.Description = fmt.Sprintf("skill-%d", i), about
			all = append(all, e)
		}
		return all
	}
	for _, tt := range []struct {
		all       []entry
		has, lack string
	}{
		{nil, "There are no skills here now.", "Skills:"},
		{many(3, "Does it. And more."), "- skill-2: Does it. And more.\n", "find_skill"},
		{many(60, "Does it. And more of it, and still more, to a length that is too much."), "- skill-59: Does it.\n", "And more"},
		{many(300, "Does it, and more of it, to a length that is too much. Yes."), "skill-0, skill-1, ", "Does it"},
		{many(3000, "Does it."), " more: ask find_skill", "skill-2999"},
		{many(30, strings.Repeat("😀", 65)), "skill-0, skill-1, ", "😀"}, // hosts count two characters each
	} {
		text := catalogue(tt.all)
		if characters(text) > maxCatalogue || !strings.Contains(text, tt.has) || strings.Contains(text, tt.lack) {
			t.Errorf("%d skills: want %q, not %q, in %d characters:\n%s", len(tt.all), tt.has, tt.lack, characters(text), text)
		}
	}
	for text, want := range map[string]string{
		"Does it. And more.": "Does it.", "v1.2 of it": "v1.2 of it", "Really? Yes.": "Really?", "これ。それ": "これ。", "": "", "Ends.": "Ends.",
	} {
		if got := firstSentence(text); got != want {
			t.Errorf("firstSentence(%q) = %q", text, got)
		}
	}
}

// TestNotOffered: if no skill is offered because none is trusted, the catalogue says so and nothing
// more about them.
func TestNotOffered(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(filepath.Join(p.project, ".claude/skills/theirs/SKILL.md"), "---\ndescription: SECRET\n---\nText.\n")
	got := string(p.connect().call("tools/list", "{}").Result)
	if !strings.Contains(got, "There are no skills here now. 1 skill is hidden because its folder is not trusted.") ||
		strings.Contains(got, "theirs") || strings.Contains(got, "SECRET") {
		t.Error(got)
	}
	h, err := here.From(p.project, p.server().Runtime.Env)
	if err != nil {
		t.Fatal(err)
	}
	store := trust.Store{Dir: h.TrustDir()}
	if _, err := store.Pin(p.project, ""); err != nil {
		t.Fatal(err)
	}
	p.write(filepath.Join(p.project, ".claude/skills/theirs/SKILL.md"), "---\ndescription: SECRET\n---\n!`echo more`\n")
	got = string(p.connect().call("tools/list", "{}").Result)
	if !strings.Contains(got, " 1 skill is hidden because "+p.project+" has changed since you pinned it") ||
		!strings.Contains(got, "skillhand trust --pin "+p.project+").") || strings.Contains(got, "not trusted") || strings.Contains(got, "SECRET") {
		t.Error(got)
	}
}
