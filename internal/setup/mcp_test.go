package setup

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPlanMCP(t *testing.T) {
	c := MCPCommand{"/opt/skill hand/skillhand", []string{"mcp", "--allow-run"}}
	for _, name := range MCPAgents() {
		for _, project := range []bool{false, true} {
			p := MCPOwner{Home: t.TempDir(), Project: t.TempDir()}
			ch, err := PlanMCP(name, p, project, c)
			if err != nil || ch.Diff() == "" {
				t.Fatalf("%s: %v", name, err)
			}
			if _, err := os.Stat(ch.File); err == nil {
				t.Errorf("%s: a plan writes", name)
			}
			if err := ch.Write(); err != nil {
				t.Fatal(err)
			}
			found := FindMCP(p)
			if len(found) != 1 || found[0].Host != name || found[0].File != ch.File || found[0].Err != nil || !same(found[0].Command, c) {
				t.Errorf("%s: %+v in %s", name, found, ch.After)
			}
			if again, err := PlanMCP(name, p, project, c); err != nil || again.Diff() != "" {
				t.Errorf("%s, again: %v\n%s", name, err, again.Diff())
			}
			other, err := PlanMCP(name, p, project, MCPCommand{"skillhand", []string{"mcp"}})
			if err != nil || other.Diff() == "" || strings.Contains(string(other.After), "skill hand") {
				t.Errorf("%s, another: %v\n%s", name, err, other.After)
			}
			if err := ch.Write(); err == nil || !strings.Contains(err.Error(), "changed by somebody else") {
				t.Errorf("%s: an old plan: %v", name, err)
			}
		}
	}
	if _, err := PlanMCP("emacs", MCPOwner{}, false, c); err == nil || !strings.Contains(err.Error(), "want claude, codex") {
		t.Error(err)
	}
}

// TestKeep: everything else in a file stays as it is, byte for byte.
func TestKeep(t *testing.T) {
	p := MCPOwner{Home: t.TempDir()}
	file := filepath.Join(p.Home, ".claude.json")
	const before = "{\n  \"b\": 1.10,\n\t\"mcpServers\": {\"other\": {\"command\": \"x\"}},\n  \"a\": [ ]\n}\n"
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	ch, err := PlanMCP("claude", p, false, MCPCommand{"skillhand", []string{"mcp"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := ch.Write(); err != nil {
		t.Fatal(err)
	}
	if gone, err := PlanMCPRemoval("claude", p, false); err != nil || string(gone.After) != before {
		t.Errorf("after a removal: %v\n%s", err, gone.After)
	}
	for _, part := range []string{"{\n  \"b\": 1.10,\n\t", `"other": {"command": "x"}`, "\n  \"a\": [ ]\n}\n"} {
		if !strings.Contains(string(ch.After), part) {
			t.Errorf("%q is gone:\n%s", part, ch.After)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	for _, bad := range []string{"{", "[]", "// comment\n{}", `{"mcpServers": 7}`} {
		if err := os.WriteFile(file, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		ch, err := PlanMCP("claude", p, false, MCPCommand{"skillhand", []string{"mcp"}})
		if err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(byHand(err), `"skillhand": {`) {
			t.Errorf("%s: %v\n%s", bad, err, ch.After)
		}
	}
}

// TestOpencode: the file with comments is taken if it is the only one, and the comments stay.
func TestOpencode(t *testing.T) {
	p := MCPOwner{Home: t.TempDir()}
	plain := filepath.Join(p.Home, ".config", "opencode", "opencode.json")
	if err := os.MkdirAll(filepath.Dir(plain), 0o777); err != nil {
		t.Fatal(err)
	}
	c := MCPCommand{"skillhand", []string{"mcp"}}
	for _, tt := range []struct{ file, text, want string }{
		{"", "", plain},
		{plain + "c", "{}", plain + "c"},
		{plain + "c", "{\n  // mine\n  \"mcp\": {\"other\": {}, /* too */ }, // the last\n}", plain + "c"},
		{plain + "c", "{\n  // mine\n", ""},
		{plain, "{}", plain},
	} {
		if tt.file != "" {
			if err := os.WriteFile(tt.file, []byte(tt.text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		ch, err := PlanMCP("opencode", p, false, c)
		if tt.want == "" {
			if !strings.Contains(err.Error(), tt.file+":2: ") || !strings.Contains(byHand(err), `["skillhand","mcp"]`) {
				t.Errorf("%s: %v", tt.text, err)
			}
		} else if err != nil || ch.File != tt.want || !strings.Contains(string(ch.After), `["skillhand","mcp"]`) {
			t.Errorf("%s: %v, %+v, want it in %s", tt.file, err, ch, tt.want)
		} else if strings.Count(string(ch.After), "/") != strings.Count(tt.text, "/") {
			t.Errorf("%s: its comments are not as they were: %s", tt.text, ch.After)
		}
	}
}

// TestOurs: an entry with anything that skillhand does not write is the user's.
func TestOurs(t *testing.T) {
	for _, tt := range []struct {
		host, file, text string
		want             bool
	}{
		{"codex", ".codex/config.toml", "model = \"o\"\n\n[mcp_servers.skillhand]\ncommand = \"/bin/skillhand\"\nargs = [\"mcp\", \"--cwd\", \"x\"]\n", true},
		{"codex", ".codex/config.toml", "[mcp_servers.skillhand]\ncommand = \"skillhand\"\nargs = [\"mcp\"]\ntimeout = 20\n", false},
		{"codex", ".codex/config.toml", "[mcp_servers.skillhand]\ncommand = \"skillhand\"\nargs = [\"mcp\"]\n[mcp_servers.skillhand.env]\nA = \"b\"\n", false},
		{"codex", ".codex/config.toml", "[mcp_servers.skillhand]\ncommand = \"other\"\nargs = [\"mcp\"]\n", false},
		{"cursor", ".cursor/mcp.json", `{"mcpServers": {"other": {}, "skillhand": {"args": ["mcp"], "command": "skillhand.exe"}}}`, true},
		{"cursor", ".cursor/mcp.json", `{"mcpServers": {"skillhand": {"command": "skillhand", "args": ["mcp"], "env": {"A": "b"}}}}`, false},
		{"cursor", ".cursor/mcp.json", `{"mcpServers": {"skillhand": {"command": "skillhand", "args": ["serve"]}}}`, false},
	} {
		p := MCPOwner{Home: t.TempDir()}
		file := filepath.Join(p.Home, tt.file)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if found := FindMCP(p); len(found) != 1 || found[0].Host != tt.host || found[0].Err != nil || found[0].Ours != tt.want {
			t.Errorf("%s: %+v, want ours %v", tt.text, found, tt.want)
		}
	}
}

// byHand is what a person is to write.
func byHand(err error) string {
	e, ok := errors.AsType[*ByHandError](err)
	if !ok {
		return ""
	}
	return e.Text
}

// TestPlanMCPRemoval: a file that had no entry is as it was after one came and went.
func TestPlanMCPRemoval(t *testing.T) {
	for _, tt := range []struct{ host, before string }{
		{"gemini", "{\n  \"mcpServers\": {\n    \"other\": {}\n  }\n}\n"},
		{"gemini", `{"mcpServers": {"skillhand": {"command": "x"}, "b": 1}}`}, {"gemini", "{}"}, {"gemini", ""},
		{"vscode", "{\n  // mine\n  \"servers\": {\"other\": {}, /* too */ }, // the last\n}\n"},
		{"codex", "model = \"x\"\n\n[other]\ny = 1\n"},
		{"codex", "[mcp_servers.skillhand]\ncommand = \"x\"\n[mcp_servers.skillhand.env]\nA = \"1\"\n[z]\n"}, {"codex", ""},
	} {
		h := hosts()[slices.IndexFunc(hosts(), func(h host) bool { return h.name == tt.host })]
		with, err := h.set("f", []byte(tt.before), MCPCommand{"skillhand", []string{"mcp"}})
		if err != nil {
			t.Fatal(err)
		}
		without, err := h.remove("f", with)
		if err != nil || strings.Contains(string(without), "skillhand") {
			t.Errorf("%s %q: %q, %v", tt.host, tt.before, without, err)
		}
		if strings.Trim(tt.before, "{}") == "" && len(without) > 0 {
			t.Errorf("%s %q: %q is left", tt.host, tt.before, without)
		}
		if strings.Contains(tt.before, "other") && string(without) != tt.before {
			t.Errorf("%s %q: %q, want it as it was", tt.host, tt.before, without)
		}
	}
	if _, err := hosts()[0].remove("f", []byte("{")); err == nil {
		t.Error("what cannot be read was changed")
	}
}

func TestTOML(t *testing.T) {
	const whole = "\ufeff# all kinds\r\na.\"b c\".d = 1979-05-27 07:32:00Z\nx = -1_000.5e+10 # [\n'q' = [\n  'a', # ]\n  {y = \"}\\\"\", z = []},\n]\n" +
		"s = \"\"\"\n = [\"\"\"\"\nt = '''\n['''\n[a . 'b']\n[[c.d]]\ne = { }\ni = +inf\n"
	const own = "command = \"skillhand\"\nargs = [\"mcp\", \"--x\"]\n"
	for _, tt := range []struct{ before, after string }{ // after "" means: by hand
		{"", "[mcp_servers.skillhand]\n" + own},
		{"model = \"x\"", "model = \"x\"\n\n[mcp_servers.skillhand]\n" + own},
		{"[mcp_servers.other]\ncommand = \"y\"\n", "[mcp_servers.other]\ncommand = \"y\"\n\n[mcp_servers.skillhand]\n" + own},
		{
			"# mine\n[ mcp_servers . \"skillhand\" ] # here\n" +
				"args = []\ntimeout = 5\ncommand = \"old\"\n\n[mcp_servers.skillhand.env]\nA = \"1\"\n[z]\ncommand = \"z\"\n",
			"# mine\n[ mcp_servers . \"skillhand\" ] # here\n" + own + "timeout = 5\n\n[mcp_servers.skillhand.env]\nA = \"1\"\n[z]\ncommand = \"z\"\n",
		},
		{"[mcp_servers.skillhand]", "[mcp_servers.skillhand]\n" + own},
		{"x = \"\"\"\n[mcp_servers.skillhand]\n\"\"\"\n", "x = \"\"\"\n[mcp_servers.skillhand]\n\"\"\"\n\n[mcp_servers.skillhand]\n" + own},
		{"x = '''a''' # \"\n[mcp_servers.skillhand]\n", "x = '''a''' # \"\n[mcp_servers.skillhand]\n" + own},
		{"mcp_servers = {}\n", ""},
		{"x = [", ""},
		{"x = [1, 2\n[y]\nz = 1\n", ""},
		{"x = \n", ""},
		{"x 1\n", ""},
		{"[x\n", ""},
		{"x = \"a\n", ""},
		{"x = 1 = 2\n", ""},
		{"x = ]\n", ""},
		{"x = [[1]\n", ""},
		{"x = [1]]\n", ""},
		{whole, whole + "\n[mcp_servers.skillhand]\n" + own},
		{"mcp_servers.skillhand.command = \"x\"\n", ""},
		{"[mcp_servers]\nskillhand = {command = \"x\"}\n", ""},
		{"[mcp_servers.skillhand]\nargs = [\n  \"x\",\n]\n", ""},
		{"[mcp_servers.skillhand]\ncommand = 'x'\n", ""},
		{"[mcp_servers.skillhand]\n[mcp_servers.skillhand]\n", ""},
	} {
		got, err := setTable(tt.before, MCPCommand{"skillhand", []string{"mcp", "--x"}})
		if (err != nil) != (tt.after == "") || got != tt.after {
			t.Errorf("%s\ngave %v\n%s\nwant\n%s", tt.before, err, got, tt.after)
		}
	}
}

func FuzzTOML(f *testing.F) {
	f.Add("[mcp_servers.skillhand]\ncommand = \"x\"\n", "p", "a")
	f.Add("x = \"\"\"\n[", "\\", "\"\n")
	f.Fuzz(func(t *testing.T, src, program, arg string) {
		c := MCPCommand{strings.ToValidUTF8(program, "?"), []string{strings.ToValidUTF8(arg, "?")}}
		out, err := setTable(src, c)
		if err != nil {
			return
		}
		if got, err := getTable(out); err != nil || !same(got, c) {
			t.Errorf("%q gave %q, which says %+v, %v", src, out, got, err)
		}
	})
}
