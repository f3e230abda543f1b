package redact

import (
	"io"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	env := []string{
		"ANTHROPIC_API_KEY=sk-ant-123456789", "GH_TOKEN=ghp_abcdefghij", "DB_PASSWORD=hunter2hunter2", "AWS_SECRET_ACCESS_KEY=wJalr/XUtn",
		"LONG_TOKEN=ghp_abcdefghij-and-more", "SHORT_TOKEN=abc", "SSH_AUTH_SOCK=/tmp/ssh-x/agent.1", "TOKEN_FILE=/run/secrets/token", "CLAUDE_CODE_MAX_OUTPUT_TOKENS=640000000",
		"HOME=/home/someone", "GH_PAT=github_pat_1", "DB_PASS=open sesame", "DATABASE_URL=postgres://me:s3cret@db/x", "PWD=/home/someone/project", "OLDPWD=/home/someone/other", "EMPTY_KEY=", "malformed",
	}
	r := New(env)
	for _, tt := range []struct{ in, want string }{
		{"key=sk-ant-123456789.", "key=[ANTHROPIC_API_KEY redacted]."},
		{"ghp_abcdefghij ghp_abcdefghij", "[GH_TOKEN redacted] [GH_TOKEN redacted]"},
		{"ghp_abcdefghij-and-more", "[LONG_TOKEN redacted]"},
		{"hunter2hunter2", "[DB_PASSWORD redacted]"},
		{"wJalr/XUtn", "[AWS_SECRET_ACCESS_KEY redacted]"},
		{"abc /tmp/ssh-x/agent.1 /run/secrets/token 640000000 /home/someone", "abc /tmp/ssh-x/agent.1 /run/secrets/token 640000000 /home/someone"},
		{"github_pat_1 open sesame", "[GH_PAT redacted] [DB_PASS redacted]"},
		{"postgres://me:s3cret@db/x", "postgres://me:[DATABASE_URL redacted]@db/x"},
		{"/home/someone/project /home/someone/other", "/home/someone/project /home/someone/other"},
		{"", ""},
	} {
		if got := r.Text(tt.in); got != tt.want {
			t.Errorf("Text(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
	if got := new(Redactor).Text("sk-ant-123456789"); got != "sk-ant-123456789" {
		t.Errorf("the zero Redactor changed the text to %q", got)
	}
}

func TestWriter(t *testing.T) {
	r := New([]string{"A_TOKEN=abcdefgh", "B_TOKEN=abcdefghXYZ", "C_KEY=aaaaaaaa"})
	in := "x abcdefgh abcdefghXYZ abcdefg aaaaaaaaaaaaaaaa abcdefghXY end abcdefgh"
	want := r.Text(in)
	for size := 1; size <= len(in); size++ {
		var b strings.Builder
		w := r.Writer(&b)
		for rest := in; rest != ""; {
			n := min(size, len(rest))
			if _, err := io.WriteString(w, rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if b.String() != want {
			t.Errorf("in pieces of %d: %q, want %q", size, b.String(), want)
		}
	}
}
