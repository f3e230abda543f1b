package mcp

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// secret is a token in the server's environment.
const secret = "q7Zk2VbX9rTnW4mLpD8sYcH3fJ6g"

// TestSecretsInFiles checks that no file shows a secret of the environment, and that digests match
// the served content.
func TestSecretsInFiles(t *testing.T) {
	p := newPlace(t)
	p.skill("static", "description: Text.", "Use "+secret+" here.\n")
	p.write(filepath.Join(p.home, ".claude/skills/static/notes.md"), "Also "+secret+".\n")
	c := p.connect()
	for _, uri := range []string{"skill://static/SKILL.md", "skill://static/notes.md"} {
		r := c.call("resources/read", fmt.Sprintf(`{"uri":%q}`, uri))
		if r.Error != nil || strings.Contains(string(r.Result), secret) || !strings.Contains(string(r.Result), "redacted") {
			t.Errorf("%s: %s %v", uri, r.Result, r.Error)
		}
	}
}

func TestResources(t *testing.T) {
	p := newPlace(t)
	p.skill("static", "description: Text.", "Text.\n")
	dir := filepath.Join(p.home, ".claude/skills/static")
	p.write(filepath.Join(dir, "a/b c.txt"), "b")
	p.write(filepath.Join(dir, "raw"), "\xff\x00")
	p.write(filepath.Join(dir, ".git/config"), "secret")
	p.write(filepath.Join(p.home, "secret"), "secret")
	for link, to := range map[string]string{"out": filepath.Join(p.home, "secret"), "up": "../../../secret", "dir": p.home, "in": "raw"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	p.skill("live", "description: Output.", "Now: !`echo now`\n")
	p.skill("mine", "description: For people.\ndisable-model-invocation: true", "Mine.\n")
	p.write(filepath.Join(p.home, ".claude/commands/cmd.md"), "A command.\n")
	p.write(filepath.Join(p.project, ".claude/skills/theirs/SKILL.md"), "---\nname: theirs\ndescription: x\n---\n")
	c := p.connect()

	read := func(uri string) (string, string) {
		r := c.call("resources/read", fmt.Sprintf(`{"uri":%q}`, uri))
		if r.Error != nil {
			return "", fmt.Sprint(r.Error.Code, " ", r.Error.Message)
		}
		var got struct {
			Contents []struct{ URI, MIMEType, Text, Blob string }
		}
		if err := json.Unmarshal(r.Result, &got); err != nil || len(got.Contents) != 1 || got.Contents[0].URI != uri {
			t.Fatalf("%s: %s", uri, r.Result)
		}
		if blob, err := base64.StdEncoding.DecodeString(got.Contents[0].Blob); err == nil && len(blob) > 0 {
			return string(blob), ""
		}
		return got.Contents[0].Text, ""
	}
	for uri, want := range map[string]string{
		"skill://static/SKILL.md":    "---\nname: static\ndescription: Text.\n---\nText.\n",
		"skill://live/SKILL.md":      "---\nname: live\ndescription: Output.\n---\nNow: now\n",
		"skill://static/a/b%20c.txt": "b",
		"skill://static/raw":         "\xff\x00",
		"skill://static/in":          "\xff\x00",
	} {
		if got, fault := read(uri); got != want {
			t.Errorf("%s: %q %s", uri, got, fault)
		}
	}
	for uri, want := range map[string]string{
		"skill://static/out":                "escapes",
		"skill://static/up":                 "escapes",
		"skill://static/dir/secret":         "escapes",
		"skill://static/../live/SKILL.md":   "not a file of a skill",
		"skill://static/%2e%2e/secret":      "not a file of a skill",
		"skill://static/a/%2e%2e%2fraw":     "not a file of a skill",
		"skill://static//etc/passwd":        "not a file of a skill",
		"skill://static/.git/config":        "not a file of a skill",
		"skill://static/a":                  "not a file",
		"skill://static":                    "not a file",
		"skill://static/none":               "no such file",
		"skill://../static/SKILL.md":        `"..": a skill's name`,
		"skill:///SKILL.md":                 "name is empty",
		"skill://mine/SKILL.md":             "agents cannot load it",
		"skill://theirs/SKILL.md":           "is not trusted",
		"skill://cmd/SKILL.md":              "a command, which has no folder",
		"file:///etc/passwd":                "not a file of a skill",
		filepath.Join(p.home, "secret"):     "not a file of a skill",
		"skill://static/SKILL.md?x=1#../..": "not a file of a skill",
	} {
		if got, fault := read(uri); !strings.HasPrefix(fault, "-32602 ") || !strings.Contains(fault, want) ||
			strings.Contains(fault, p.home+"/.claude/skills/static") {
			t.Errorf("%s: %q, %q, want %q", uri, got, fault, want)
		}
	}

	var list struct {
		Skills []struct {
			URI         string
			Frontmatter map[string]any
			Resources   any
		}
		ResultType, CacheScope string
		TTLMs                  *int
	}
	if err := json.Unmarshal(c.call("skills/list", "{}").Result, &list); err != nil || list.ResultType != "complete" ||
		list.CacheScope != "private" || list.TTLMs == nil {
		t.Fatalf("%v %+v", err, list)
	}
	file := func(name, text string) any {
		return map[string]any{"uri": "skill://static/" + name, "digest": fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))),
			"size": float64(len(text))}
	}
	static, _ := read("skill://static/SKILL.md")
	want := []any{file("SKILL.md", static), file("a/b%20c.txt", "b"), file("in", "\xff\x00"), file("raw", "\xff\x00")}
	if len(list.Skills) != 2 || list.Skills[0].Resources != "dynamic" {
		t.Fatalf("%+v", list.Skills)
	}
	if diff := cmp.Diff(want, list.Skills[1].Resources); diff != "" {
		t.Error(diff)
	}
	var one struct{ Skill any }
	var all struct{ Skills []any }
	if err := json.Unmarshal(c.call("skills/get", `{"uri":"skill://static/SKILL.md"}`).Result, &one); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(c.call("skills/list", "{}").Result, &all); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(all.Skills[1], one.Skill); diff != "" {
		t.Error(diff)
	}
	for _, uri := range []string{"skill://none/SKILL.md", "skill://static/raw", "skill://mine/SKILL.md", "x"} {
		if r := c.call("skills/get", fmt.Sprintf(`{"uri":%q}`, uri)); r.Error == nil || r.Error.Code != -32602 {
			t.Errorf("skills/get %s: %s", uri, r.Result)
		}
	}
	var children struct {
		Resources []struct{ URI, MIMEType string }
	}
	if err := json.Unmarshal(c.call("resources/directory/read", `{"uri":"skill://static"}`).Result, &children); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(children.Resources); got != "[{skill://static/SKILL.md "+
		"text/markdown} {skill://static/a inode/directory} {skill://static/in text/plain} {skill://static/raw text/plain}]" {
		t.Error(got)
	}
	if r := c.call("resources/directory/read", `{"uri":"skill://static/raw"}`); r.Error == nil || r.Error.Code != -32602 {
		t.Errorf("a file as a folder: %s", r.Result)
	}
}

// TestFrontmatter checks that only the extension's list leaves out a skill that it cannot describe.
func TestFrontmatter(t *testing.T) {
	for header, want := range map[string]string{
		"---\nname: a\ndescription: b\n---\n":                             `{"description":"b","name":"a"}`,
		"\ufeff---\r\nname: a\r\nx: [1, 1.5, true, ~, 0x10]\r\n---\n":     `{"name":"a","x":[1,1.5,true,null,16]}`,
		"---\nd: 2024-01-31\nv: .inf\ny: yes\nn: &a {b: c}\nm: *a\n---\n": `{"d":"2024-01-31","m":{"b":"c"},"n":{"b":"c"},"v":".inf","y":"yes"}`,
		"---\n- a\n---\n":  "it has no frontmatter",
		"":                 "it has no frontmatter",
		"---\na: [\n---\n": "yaml: ",
	} {
		front, err := frontmatter([]byte(header))
		got, _ := json.Marshal(front)
		if err != nil {
			got = []byte(err.Error())
		}
		if !strings.HasPrefix(string(got), want) {
			t.Errorf("%q: %s, want %s", header, got, want)
		}
	}
	p := newPlace(t)
	p.write(filepath.Join(p.home, ".claude/skills/Upper/SKILL.md"), "---\nname: Upper\ndescription: x\n---\n")
	p.write(filepath.Join(p.home, ".claude/skills/other/SKILL.md"), "---\nname: another\ndescription: x\n---\n")
	p.write(filepath.Join(p.home, ".claude/skills/plain/SKILL.md"), "Plain.\n")
	p.write(filepath.Join(p.home, ".claude/skills/big/SKILL.md"), "---\nname: big\ndescription: x\n---\n")
	for i := range maxFiles {
		p.write(filepath.Join(p.home, ".claude/skills/big", fmt.Sprint(i)), "x")
	}
	c := p.connect()
	if got := string(c.call("skills/list", "{}").Result); !strings.Contains(got, `"skills":[]`) {
		t.Error(got)
	}
	if got := c.load("plain", ""); got != "Plain.\n" {
		t.Error(got)
	}
}
