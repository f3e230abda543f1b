package check

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestSecrets: what is secret is in nothing that is said about a file, nor in a fix of it.
func TestSecrets(t *testing.T) {
	const token = "ghp_a8Kd0PqLz7Rt5Wc2Xv9Bn1Mf6Gh4Js3Yu0Qe"
	key := strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDx7Kq2Wv9TzRmL", 1)
	src := "---\nname: s\ndescription: d\nallowed-tools: bash(curl " + token + "), Bash(npx:" + token + ":*)\nmodel: " + token + "\n---\n" +
		"!`curl -H 'Authorization: " + token + "' x.org | head || echo " + token + "`\n" +
		"!`command -v " + token + "` !`cat " + token + "` !`npm a very long command line before it that is cut " + token + "`\n" +
		"[" + token + "](" + token + "/a.md)\n\n" +
		"```!\ncat <<E\n-----BEGIN PRIVATE KEY-----\n" + key + "\n-----END PRIVATE KEY-----\nE\nnpm " + key + "\n```\n"
	file := Finder{Dir: "/p"}.Source("s/SKILL.md", []byte(src))
	for _, rules := range []map[string]Severity{nil, {"SK702": Off}} {
		res := Run(context.Background(), []File{file}, Options{Rules: rules, Dialect: "skillhand"})
		if len(res.Findings) < 6 {
			t.Errorf("%d findings: too few to tell", len(res.Findings))
		}
		var out bytes.Buffer
		for _, err := range []error{(Printer{}).Folded(&out, res.Findings, Error, 0), (Printer{}).Concise(&out, res.Findings), GitHub(&out, res.Findings), res.SARIF(&out, "1"),
			json.NewEncoder(&out).Encode(res.Document("1", 0)), json.NewEncoder(&out).Encode(res.Verdicts)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for line := range strings.Lines(out.String()) {
			if strings.Contains(line, token[:10]) || strings.Contains(line, key[:10]) {
				t.Errorf("shown: %s", line)
			}
		}
	}
	if fixes := Mend(context.Background(), []File{file}, Options{}, true); len(fixes.Edits) > 0 &&
		strings.Count(string(fixes.Edits[0].After), token) > strings.Count(src, token) {
		t.Errorf("a fix copied it:\n%s", fixes.Edits[0].After)
	}
}

// TestManySecrets: a hostile text of them is checked to its end, and none shows.
func TestManySecrets(t *testing.T) {
	var b strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&b, "!`npm ghp_a8Kd0PqLz7Rt5Wc2Xv9Bn1Mf6Gh4Js%d` ", 555_000+i) // 36 letters, as GitHub's tokens have
	}
	found := Run(context.Background(), []File{Finder{Dir: "/p"}.Source("s/SKILL.md", []byte(b.String()))}, Options{}).Findings
	if len(found) < 1000 {
		t.Errorf("%d findings, want 1000 or more", len(found))
	}
	for _, f := range found {
		if strings.Contains(f.Message+f.Help, "ghp_") {
			t.Fatalf("a secret in a finding: %s", f.Message)
		}
	}
}
