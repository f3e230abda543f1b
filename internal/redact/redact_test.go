package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestText(t *testing.T) {
	env := []string{
		"ANTHROPIC_API_KEY=sk-ant-123456789", "GH_TOKEN=ghp_abcdefghij", "DB_PASSWORD=hunter2hunter2", "AWS_SECRET_ACCESS_KEY=wJalr/XUtn",
		"LONG_TOKEN=ghp_abcdefghij-and-more", "SHORT_TOKEN=abc", "SSH_AUTH_SOCK=/tmp/ssh-x/agent.1", "TOKEN_FILE=/run/secrets/token",
		"CLAUDE_CODE_MAX_OUTPUT_TOKENS=640000000",
		"HOME=/home/someone", "GH_PAT=github_pat_1", "DB_PASS=open sesame", "DATABASE_URL=postgres://me:s3cr3t-x@db/x",
		"PWD=/home/someone/project", "OLDPWD=/home/someone/other", "EMPTY_KEY=", "malformed",
	}
	r := New(env)
	for _, tt := range []struct{ in, want string }{
		{"key=sk-ant-123456789.", "key=[ANTHROPIC_API_KEY redacted]."},
		{"ghp_abcdefghij ghp_abcdefghij", "[GH_TOKEN redacted] [GH_TOKEN redacted]"},
		{"ghp_abcdefghijghp_abcdefghij", "[GH_TOKEN redacted][GH_TOKEN redacted]"},
		{"ghp_abcdefghij-and-more", "[LONG_TOKEN redacted]"},
		{"hunter2hunter2hunter2", "[DB_PASSWORD redacted]"}, // the two secrets overlap
		{"wJalr/XUtn", "[AWS_SECRET_ACCESS_KEY redacted]"},
		{"abc /tmp/ssh-x/agent.1 /run/secrets/token 640000000 /home/someone",
			"abc /tmp/ssh-x/agent.1 /run/secrets/token 640000000 /home/someone"},
		{"github_pat_1 open sesame", "[GH_PAT redacted] [DB_PASS redacted]"},
		{"postgres://me:s3cr3t-x@db/x", "postgres://me:[DATABASE_URL redacted]@db/x"},
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

// Each case has a secret that must not show up, and the text around it that must.
func TestSecrets(t *testing.T) {
	pem := "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n" +
		"MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu\nNMoSfm76oqFvAp8Gy0iz\n-----END PRIVATE KEY-----"
	hook := "https://hooks.slack.com/services/T024BE7LD/B024BE7LE/XXXXXXXXXXXXXXXXXXXXXXXX"
	azure := `{"clientId":"6f0c1c6e-37a5-4b5c-9a0e-0c1d2e3f4a5b","clientSecret":"q1~8Q~aBc.dEf","tenantId":"t-1"}`
	for _, tt := range []struct{ env, in string }{
		{"DEPLOY_KEY=" + pem, "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"},
		{"DEPLOY_KEY=" + pem, "NMoSfm76oqFvAp8Gy0iz"},
		{"DEPLOY=" + strings.ReplaceAll(pem, "\n", `\n`), "NMoSfm76oqFvAp8Gy0iz"},
		{`A_TOKEN=a"b\c<d>é/x1`, `a\"b\\c<d>é/x1`},
		{`A_TOKEN=a"b\c<d>é/x1`, `a\"b\\c\u003cd\u003eé/x1`},
		{`A_TOKEN=a"b\c<d>é/x1`, `a\"b\\c\u003cd\u003e\u00e9/x1`},
		{`A_TOKEN=a"b\c<d>é/x1`, `a\"b\\c<d>é\/x1`},
		{`A_TOKEN=a"b\c<d>é/x1`, `a\\\"b\\\\c<d>é/x1`},
		{`A_TOKEN=a"b\c<d>é/x1`, `a\"b\\c<d>\u00e9/x1`},
		{`A_TOKEN=a"b\c<d>é/x1`, `a\"b\\c<d>\u00e9\/x1`},
		{`A_TOKEN=a"b\c<d>é/x1`, `a\\\"b\\\\c<d>\\u00e9/x1`},
		{`A_TOKEN=a"b\c<d>é/x1`, `a\u0022b\\c\u003Cd\u003E\u00E9/x1`},
		{`A_TOKEN=a"b\c<d>é/x1`, `a\"b\\c\<d\>é/x1`},
		{`A_TOKEN=a"b\c<d>é/x1`, `a"b\\c<d>é/x1`},
		{`A_TOKEN=a"b\c<d>é/x1`, `a&quot;b\c&lt;d&gt;é/x1`},
		{`A_TOKEN=a"b\c<d>é/x1`, `a&#34;b\c&lt;d&gt;é/x1`},
		{`A_TOKEN=a"b\c<d>é/x1`, `a"b\c&lt;d&gt;é/x1`},
		{`A_TOKEN=a"b\c<d>é/x1`, `a%22b%5Cc%3Cd%3E%C3%A9/x1`},
		{"A_TOKEN=a\"b$c`d/x1", `a\"b\$c` + "\\`d/x1"},
		{`A_TOKEN=a b&c!d/1`, `a%20b%26c%21d%2F1`},
		{`A_TOKEN=a b&c!d/1`, `a%20b%26c!d%2F1`},
		{`A_TOKEN=a b&c!d/1`, `a%20b%26c%21d/1`},
		{`A_TOKEN=a b&c!d/1`, `a%20b&c!d/1`},
		{`A_TOKEN=a b&c!d/1`, `a\ b\&c\!d/1`},
		{`A_TOKEN=😀pass<w0rd`, `\ud83d\ude00pass<w0rd`},
		{`A_TOKEN=a b/c+d=1`, `a+b%2Fc%2Bd%3D1`},
		{`A_TOKEN=a b/c+d=1`, `a%20b%2Fc+d=1`},
		{`A_TOKEN=a b/c+d=1`, `a+b%2fc%2bd%3d1`},
		{`SSHPASS=it's-long`, `it'\''s-long`},
		{"DATABASE_URL=postgres://me:p%40ss%2Fw0rd@db/x", "p%40ss%2Fw0rd"},
		{"DATABASE_URL=postgres://me:p%40ss%2Fw0rd@db/x", "p@ss/w0rd"},
		{"DATABASE_URL=postgres://me:pa/ss!w0rd@db/x", "pa/ss!w0rd"},
		{"MYSQL_DSN=me:s3cr3t-x@tcp(db:3306)/x", "s3cr3t-x"},
		{"URLS=https://a.example https://u:s3cr3t-x@b.example", "s3cr3t-x"},
		{"REMOTE=https://ghp_0a1B2c3D4e5F6g7H@github.com/a/b", "ghp_0a1B2c3D4e5F6g7H"},
		{"REMOTE=https://ghp_0a1B2c3D4e5F6g7H:x-oauth-basic@github.com/a/b", "ghp_0a1B2c3D4e5F6g7H"},
		{"AZURE_CREDENTIALS=" + azure, "q1~8Q~aBc.dEf"},
		{"AZURE_CREDENTIALS=" + azure, azure},
		{`DOCKER_AUTH_CONFIG={"auths":{"r.example":{"auth":"dXNlcjpwYXNzd29yZA=="}}}`, "dXNlcjpwYXNzd29yZA=="},
		{`SERVICES={"db":[{"uri":"mysql://u:s3cr3t-x@h/d"}]}`, "s3cr3t-x"},
		{"SLACK_WEBHOOK_URL=" + hook, hook},
		{"SLACK_WEBHOOK_URL=" + hook, "XXXXXXXXXXXXXXXXXXXXXXXX"},
		{"SLACK_WEBHOOK_URL=" + hook, "/services/T024BE7LD/B024BE7LE/XXXXXXXXXXXXXXXXXXXXXXXX"},
		{"SENTRY_DSN=https://0123456789abcdef0123456789abcdef@o1.ingest.sentry.io/42", "0123456789abcdef0123456789abcdef"},
		{"SENTRY_DSN=https://abc123def456@o1.ingest.sentry.io/42", "abc123def456"},
		{"GITHUB_AUTH=ghp_abcdefghijkl", "ghp_abcdefghijkl"},
		{"GITHUB_AUTH=me:ghp_abcdefghijkl", "ghp_abcdefghijkl"},
		{"API_TOKENS=tok-aaaa1111,tok-bbbb2222", "tok-aaaa1111"},
		{"API_TOKENS=tok-aaaa1111 tok-bbbb2222", "tok-bbbb2222"},
		{`API_TOKENS=["tok-aaaa1111","tok-bbbb2222"]`, "tok-bbbb2222"},
		{"SSHPASS=hunter2hunter2", "hunter2hunter2"},
		{"SSHPASS=s3cr3t!", "s3cr3t!"},
		{"PGPASSWORD=correct horse battery staple", "correct horse battery staple"},
		{"GMAIL_PASSWORD=abcdefghijklmnop", "abcdefghijklmnop"},
		{"MY_SECRET_VALUE=supersecret-value-123", "supersecret-value-123"},
		{"TOKEN_URL=https://x.example/?token=0a1B2c3D4e5F", "0a1B2c3D4e5F"},
		{"OPTS=-Xmx1g -Ddb.password=s3cr3t-x -v", "s3cr3t-x"},
		{"CONNECTION=Server=db;User=me;Password=s3cr3t-x;", "s3cr3t-x"},
		{"STORAGE=AccountName=a;AccountKey=q83vEjRWeJq83vEjRWeJq83v==;X=1", "q83vEjRWeJq83vEjRWeJq83v=="},
		{"AUTHORIZATION=Bearer ghp_abcdefghijkl", "ghp_abcdefghijkl"},
		{"npm_config_//registry.npmjs.org/:_authToken=npm_0a1B2c3D4e5F", "npm_0a1B2c3D4e5F"},
		{"AWS_SECRET_ACCESS_KEY=/Jalr7UtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "/Jalr7UtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"},
		{"A_TOKEN=secret-value-01", base64.StdEncoding.EncodeToString([]byte("me:secret-value-01"))[4:24]},
		{"A_TOKEN=" + strings.Repeat("0a1B2c3D4e5F", 1000), strings.Repeat("0a1B2c3D4e5F", 1000)},
	} {
		r := New([]string{tt.env})
		got := r.Text("x " + tt.in + " y")
		if strings.Contains(got, tt.in) || !strings.HasPrefix(got, "x ") || !strings.HasSuffix(got, " y") ||
			!strings.Contains(got, " redacted]") {
			t.Errorf("%.80s: Text(%.80q) = %.200q", tt.env, tt.in, got)
		}
	}
}

// None of these is a secret, in any place.
func TestOrdinary(t *testing.T) {
	for _, tt := range []struct{ env, in string }{
		{"DATABASE_URL=postgres://test:test@localhost/db", "go test ./... test"},
		{"DATABASE_URL=postgres://postgres:postgres@localhost/db", "image: postgres:16"},
		{"POSTGRES_PASSWORD=postgres", "image: postgres:16"},
		{"DB_PASSWORD=password", "Password: the password"},
		{"AUTH_TOKEN=disabled", "disabled"},
		{"AUTH_MODE=oauth2-proxy", "oauth2-proxy"},
		{"SORT_KEY=created_at", "created_at"},
		{"KEY_TYPE=ssh-ed25519", "ssh-ed25519"},
		{"AWS_SECRET_NAME=prod/database/main", "prod/database/main"},
		{"SECRET_STORE=aws-secrets-manager", "aws-secrets-manager"},
		{"GOOGLE_APPLICATION_CREDENTIALS=/home/me/.config/gcloud/key.json", "/home/me/.config/gcloud/key.json"},
		{"SSH_AUTH_SOCK=/tmp/ssh-XXXXabcd1234/agent.1", "/tmp/ssh-XXXXabcd1234/agent.1"},
		{"GIT_ASKPASS=/vscode/bin/linux-x64/1a2b3c4d5e6f7a8b9c0d/git/dist/askpass.sh",
			"/vscode/bin/linux-x64/1a2b3c4d5e6f7a8b9c0d/git/dist/askpass.sh"},
		{"SSH_PRIVATE_KEY=~/.ssh/id_rsa", "~/.ssh/id_rsa"},
		{"GIT_AUTHOR_NAME=Somebody Else 2", "Somebody Else 2"},
		{"AUTH_URL=https://login.example.com/oauth2/token", "https://login.example.com/oauth2/token"},
		{"MAX_TOKENS=20000000", "20000000"},
		{"TOKENIZERS_PARALLELISM=somehow-1", "somehow-1"},
		{
			"AZURE_CREDENTIALS=" + `{"clientId":"6f0c1c6e-37a5-4b5c-9a0e-0c1d2e3f4a5b","type":"service_account"}`,
			"6f0c1c6e-37a5-4b5c-9a0e-0c1d2e3f4a5b service_account",
		},
		{"COMPASS=north-by-northwest", "north-by-northwest"},
		{"REGISTRY_BYPASS=registry.example.com/app:1.2.3", "registry.example.com/app:1.2.3"},
		{"LS_COLORS=*.key=00;36:*.pem=00;36", "00;36:*.pem=00"},
		{"PWD=/tmp/0a1B2c3D4e5F/6g7H8i9J", "/tmp/0a1B2c3D4e5F/6g7H8i9J"},
		{"SSH_KEY=-----BEGIN PRIVATE KEY-----\nNMoSfm76oqFvAp8Gy0iz\n-----END PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----"},
	} {
		if got := New([]string{tt.env}).Text(tt.in); got != tt.in {
			t.Errorf("%s: Text(%q) = %q", tt.env, tt.in, got)
		}
	}
	// An ordinary word is replaced only where it is the password.
	r := New([]string{"DATABASE_URL=postgres://test:test@localhost/db"})
	if got, want := r.Text("test postgres://test:test@localhost/db"),
		"test postgres://test:[DATABASE_URL redacted]@localhost/db"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestJSON(t *testing.T) {
	const long = 1 << 20
	r := New([]string{`A_TOKEN=abc"123<`, "DATABASE_URL=postgres://test:test@db/x", "PIN_SECRET=123456789012"})
	for _, tt := range []struct{ in, want string }{
		{``, ``},
		{`null`, `null`},
		{` { "a" : 1.50, "b":[true, "t\u0065st" ] } `, ` { "a" : 1.50, "b":[true, "t\u0065st" ] } `},
		{`{"a":"abc\"123<","b" : "\u0061bc\u0022123\u003c!"}`, `{"a":"[A_TOKEN redacted]","b" : "[A_TOKEN redacted]!"}`},
		{`{"abc\"123<":{"x":[1, 2]}}`, `{"[A_TOKEN redacted]":{"x":[1, 2]}}`},
		{`[123456789012, -1e9]`, `["[PIN_SECRET redacted]", -1e9]`},
		{`"abc\\\"123<"`, `"[A_TOKEN redacted]"`},
		{`"` + strings.Repeat(`\u0061`, long) + `bc\"123<"`, `"` + strings.Repeat(`a`, long-1) + `[A_TOKEN redacted]"`},
		{`"` + strings.Repeat(`\u0061`, long) + `"`, `"` + strings.Repeat(`\u0061`, long) + `"`},
		{`{"a": abc"123<`, `"{\"a\": [A_TOKEN redacted]"`},
	} {
		if got := r.JSON(json.RawMessage(tt.in)); string(got) != tt.want {
			t.Errorf("JSON(%.200s) = %.200s, want %.200s", tt.in, got, tt.want)
		}
	}
}

// write writes a text in pieces of up to size bytes.
func write(t interface{ Fatal(...any) }, r *Redactor, text string, size func() int) string {
	var b strings.Builder
	w := r.Writer(&b)
	for rest := text; rest != ""; {
		n := min(size(), len(rest))
		if _, err := io.WriteString(w, rest[:n]); err != nil {
			t.Fatal(err)
		}
		rest = rest[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestWrapped: no part of a long secret remains in base64 that was broken into lines, alone or
// after other text.
func TestWrapped(t *testing.T) {
	for n := 49; n < 240; n++ {
		token := "ghp_" + strings.Repeat("0a1B2c3D4e5F6g7H", 15)[:n-4]
		for _, before := range []string{"", "u", "me:", "somebody:"} {
			for _, width := range []int{64, 76} {
				encoded := base64.StdEncoding.EncodeToString([]byte(before + token + "\n"))
				var lines []string
				for ; len(encoded) > width; encoded = encoded[width:] {
					lines = append(lines, encoded[:width])
				}
				got := New([]string{"GH_TOKEN=" + token}).Text(strings.Join(append(lines, encoded), "\n"))
				for line := range strings.SplitSeq(got, "\n") {
					line = strings.ReplaceAll(line, "[GH_TOKEN redacted]", "")
					most := 4*(len(before)/3+1) + 12
					if before == "" {
						most = 4 // the group that also holds what follows the secret
					}
					if len(line) > most {
						t.Errorf("%d bytes behind %q in lines of %d: %q is left of it", n, before, width, line)
					}
				}
			}
		}
	}
}

func TestWriter(t *testing.T) {
	r := New([]string{"A_TOKEN=abcdefg1", "B_TOKEN=abcdefg1XYZ", "C_TOKEN=aaaaaaa1aaaaaaa1", "D_TOKEN=cdefg1 2"})
	in := "x abcdefg1 abcdefg1XYZ abcdefg aaaaaaa1aaaaaaa1aaaaaaa1 abcdefg1XY end abcdefg1 2 abcdefg1"
	want := r.Text(in)
	for size := 1; size <= len(in); size++ {
		if got := write(t, r, in, func() int { return size }); got != want {
			t.Errorf("in pieces of %d: %q, want %q", size, got, want)
		}
	}
}

// A Writer holds back nothing at the end of a line, for any secrets.
func TestWriterIsPrompt(t *testing.T) {
	var b strings.Builder
	w := New([]string{"DEPLOY_KEY=-----BEGIN PRIVATE KEY-----\nNMoSfm76oqFvAp8Gy0iz\n-----END PRIVATE KEY-----",
		"A_TOKEN=ghp_0a1B2c3D"}).Writer(&b)
	var want string
	for _, line := range []string{"-----BEGIN PRIVATE KEY-----\n", "NMoSfm76\n", "ghp_\n", "? "} {
		want += line
		if _, err := io.WriteString(w, line); err != nil || b.String() != want {
			t.Errorf("after %q: %q, %v", line, b.String(), err)
		}
	}
}

// TestWriterIsBounded: the text that a Writer holds back does not grow with the input.
func TestWriterIsBounded(t *testing.T) {
	w := New([]string{"A_TOKEN=a1" + strings.Repeat("a1", 8)}).Writer(io.Discard).(*writer)
	piece := bytes.Repeat([]byte("a1"), 4<<10)
	for range 100 {
		if _, err := w.Write(piece); err != nil {
			t.Fatal(err)
		}
		if len(w.held) > maxSecret || len(w.matcher.hits) > 1 {
			t.Fatalf("%d bytes and %d hits are held", len(w.held), len(w.matcher.hits))
		}
	}
}

// TestProperties: no secret comes out, however a text is cut into pieces. A text without secrets
// comes out unchanged.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Few letters, so that secrets overlap and begin alike.
		value := rapid.StringMatching(`[ab]{0,6}[ab1\-]{8,12}`)
		var env, secrets []string
		for i, v := range rapid.SliceOfN(value, 1, 5).Draw(t, "secrets") {
			env = append(env, fmt.Sprintf("V%d_TOKEN=%s", i, v))
			if isSecret(v, sure) {
				secrets = append(secrets, v)
			}
		}
		piece := rapid.OneOf(rapid.StringMatching(`[ab1\-]{0,9}`), rapid.SampledFrom(append(slices.Clone(secrets), "\n")))
		text := strings.Join(rapid.SliceOfN(piece, 0, 20).Draw(t, "text"), "")
		r := New(env)
		got := r.Text(text)
		any := false
		for _, s := range secrets {
			any = any || strings.Contains(text, s)
			if strings.Contains(got, s) {
				t.Fatalf("%q is in %q", s, got)
			}
		}
		if !any && got != text {
			t.Fatalf("%q became %q", text, got)
		}
		sizes := rapid.IntRange(1, 9)
		if again := write(t, r, text, func() int { return sizes.Draw(t, "size") }); again != got {
			t.Fatalf("in pieces %q, at once %q", again, got)
		}
	})
}

func FuzzRedact(f *testing.F) {
	f.Add("A_TOKEN", "abcdefg1", "x abcdefg1 y", uint64(1))
	f.Add("DATABASE_URL", "postgres://u:p%40ss@h/x?password=a1b2c3d4", "p@ss postgres://u:p%40ss@h", uint64(2))
	f.Add("AZURE_CREDENTIALS", `{"a":[{"clientSecret":"q1~8Q~aBc"}]}`, `{"x":"q1~8Q~aBc"}`, uint64(3))
	f.Add("K_KEY", "-----BEGIN PRIVATE KEY-----\\nabc\\n", "\\u0061", uint64(4))
	f.Fuzz(func(t *testing.T, name, value, text string, seed uint64) {
		r := New([]string{name + "=" + value})
		got := r.Text(text)
		dice := rand.New(rand.NewPCG(seed, 0))
		if again := write(t, r, text, func() int { return 1 + dice.IntN(10) }); again != got {
			t.Errorf("in pieces %q, at once %q", again, got)
		}
		for _, s := range secretsOf([]string{name + "=" + value}) {
			// A secret's replacement may contain it, and so may the text around it.
			if strings.Contains(got, s.text) && !strings.Contains(s.mark, s.text) && !strings.ContainsAny(s.text, "[]") {
				t.Errorf("%q is in %q", s.text, got)
			}
		}
		if doc := r.JSON(json.RawMessage(text)); len(text) > 0 && !json.Valid(doc) {
			t.Errorf("JSON(%q) = %q", text, doc)
		}
	})
}

// testLog returns output of tests, about as many bytes as size says.
func testLog(size int) []byte {
	return bytes.Repeat([]byte("=== RUN   TestThing/test_postgres\n"+
		"    thing_test.go:42: connecting to postgres:16 as test, token ok\n--- PASS: TestThing (0.01s)\n"), size/120)
}

func BenchmarkText(b *testing.B) {
	env := []string{"DATABASE_URL=postgres://test:test@localhost/db"}
	for i := range 15 {
		env = append(env, fmt.Sprintf("T%d_TOKEN=ghp_%016x%016x", i, i*7919, i*104729))
	}
	for _, size := range []int{50 << 10, 5 << 20} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			text := string(testLog(size))
			r := New(env)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.Text(text)
			}
		})
	}
	many := env
	for i := range 10_000 {
		many = append(many, fmt.Sprintf("M%d_TOKEN=%016x%016x", i, rand.Uint64(), rand.Uint64()))
	}
	for _, env := range [][]string{env, many} {
		b.Run(fmt.Sprintf("New of %d", len(env)), func(b *testing.B) {
			for b.Loop() {
				New(env).Text("")
			}
		})
	}
}

// TestHead: at the end of a text that goes on, Head leaves out what may be the beginning of a
// secret.
func TestHead(t *testing.T) {
	r := New([]string{"A_TOKEN=0a1B2c3D4e5F", "B_TOKEN=0a1B2c3D4e5F-and-more"})
	for _, tt := range []struct{ in, want string }{
		{"x 0a1B2c3D4e5F y", "x [A_TOKEN redacted] y"},
		{"x 0a1B2c3D", "x "},
		{"x 0a1B2c3D4e5F", "x "}, // it may be the beginning of the other secret
		{"x 0a1B2c3D4e5F-and", "x "},
		{"x", "x"},
		{"", ""},
	} {
		if got := r.Head(tt.in); got != tt.want {
			t.Errorf("Head(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}
