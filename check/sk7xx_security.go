package check

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/doc"
	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
	"github.com/skillhand/skillhand/internal/words"
)

func securityRules() []*Rule {
	all := []Kind{Skill, Command, Agent, Plugin, Marketplace, Hooks, Text, FirstUse}
	return []*Rule{
		{ID: "SK701", Name: "hidden-unicode", Severity: Error, template: true, kinds: all, run: hiddenUnicode,
			Summary: "characters that nobody sees, but the model reads"},
		{ID: "SK702", Name: "secret", Severity: Error, template: true, kinds: all, run: secret,
			Summary: "a key or token that opens something"},
		{ID: "SK703", Name: "fetch-and-run", Severity: Error, template: true, kinds: []Kind{Skill, Command, Agent, Text, FirstUse, Hooks, Plugin}, run: fetchAndRun,
			Summary: "a directive or hook runs what it fetches, unseen"},
		{ID: "SK704", Name: "opaque-file", Severity: Info, template: true, kinds: []Kind{Skill}, run: opaqueFile,
			Summary: "a file that is hard to read for people, and was not inspected"},
	}
}

func hiddenUnicode(p *pass) {
	if isASCII(p.doc.src) {
		return
	}
	for i, r := range p.doc.src {
		what := hidden(r)
		if what == "" || i == 0 && r == '\ufeff' || isJoiner(p.doc.src, i, r) {
			continue
		}
		end := i + utf8.RuneLen(r)
		f := p.find(i, end, "U+%04X, %s: a person does not see it, the model reads it", r, what)
		f.Help = "remove it"
		f.Fix = replace("remove it", false, i, end, "")
		if p.doc.skill != nil && p.doc.looks.makesDirective(p.doc.src, f.Fix.Edits) {
			f.Message += "; here it keeps an example from running"
			f.Help = "put a space in its place: without it Claude Code would run what follows"
			f.Fix = replace("put a space in its place", false, i, end, " ")
		}
	}
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// hidden says what a character is that takes no room on a page.
func hidden(r rune) string {
	switch {
	case 0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069:
		return "which turns the direction of the text"
	case 0xe0000 <= r && r <= 0xe007f:
		return "an invisible letter"
	case r == 0x200b, r == 0x200c, r == 0x200d, r == 0x2060, r == 0xfeff, 0x2061 <= r && r <= 0x2064, r == 0x180e:
		return "a character without width"
	}
	return ""
}

// isJoiner reports whether a hidden character has a purpose: in emoji, flags and scripts that join letters.
func isJoiner(s string, i int, r rune) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
	switch {
	case r == 0x200d || r == 0x200c:
		return isPictograph(before) && isPictograph(after) || joins(before) && (joins(after) || unicode.IsSpace(after))
	case 0xe0020 <= r && r <= 0xe007f: // a flag: a black flag and letters
		near := s[max(0, i-9*4):i]
		start := strings.LastIndex(near, "\U0001F3F4")
		return start >= 0 && strings.Trim(near[start+4:], tags) == ""
	}
	return false
}

const tags = "\U000E0061\U000E0062\U000E0063\U000E0064\U000E0065\U000E0066\U000E0067\U000E0068\U000E0069\U000E006A\U000E006B\U000E006C\U000E006D\U000E006E" +
	"\U000E006F\U000E0070\U000E0071\U000E0072\U000E0073\U000E0074\U000E0075\U000E0076\U000E0077\U000E0078\U000E0079\U000E007A\U000E0030\U000E0031"

func isPictograph(r rune) bool {
	return unicode.Is(unicode.So, r) || unicode.Is(unicode.Sk, r) || 0x1f000 <= r && r <= 0x1faff || r == 0xfe0f || 0x2190 <= r && r <= 0x2bff
}

func joins(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Devanagari, unicode.Bengali, unicode.Gujarati, unicode.Gurmukhi,
		unicode.Kannada, unicode.Malayalam, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Sinhala, unicode.Khmer,
		unicode.Myanmar, unicode.Tibetan, unicode.Mongolian, unicode.Syriac, unicode.Hebrew, unicode.Thai, unicode.Lao)
}

// tokens are secrets that one knows by their shape: how they begin, which letters follow and how many.
var tokens = []struct {
	prefix, what string
	min, max     int
	letters      string
}{
	{"AKIA", "an AWS access key", 16, 16, upper + digits},
	{"ASIA", "an AWS access key", 16, 16, upper + digits},
	{"ghp_", "a GitHub token", 36, 36, upper + lower + digits},
	{"gho_", "a GitHub token", 36, 36, upper + lower + digits},
	{"ghs_", "a GitHub token", 36, 36, upper + lower + digits},
	{"github_pat_", "a GitHub token", 60, 100, upper + lower + digits + "_"},
	{"glpat-", "a GitLab token", 20, 64, upper + lower + digits + "_-"},
	{"sk-ant-", "an Anthropic key", 40, 200, upper + lower + digits + "_-"},
	{"sk-proj-", "an OpenAI key", 40, 200, upper + lower + digits + "_-"},
	{"sk_live_", "a Stripe key", 20, 120, upper + lower + digits},
	{"rk_live_", "a Stripe key", 20, 120, upper + lower + digits},
	{"xoxb-", "a Slack token", 40, 90, upper + lower + digits + "-"},
	{"xoxp-", "a Slack token", 40, 90, upper + lower + digits + "-"},
	{"AIza", "a Google key", 35, 35, upper + lower + digits + "_-"},
	{"npm_", "an npm token", 36, 36, upper + lower + digits},
	{"hf_", "a Hugging Face token", 34, 34, upper + lower + digits},
	{"SG.", "a SendGrid key", 60, 70, upper + lower + digits + "_-."},
}

const (
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lower  = "abcdefghijklmnopqrstuvwxyz"
	digits = "0123456789"
)

func secret(p *pass) {
	for _, s := range p.doc.secrets {
		f := p.find(s.start, s.end, "this looks like %s, and whoever reads the skill has it", s.what)
		f.Help = "revoke it, and let the skill read it from the environment"
		f.text = "" // what is secret is not shown
	}
}

func countLetters(s, letters string, most int) int {
	n := 0
	for n < len(s) && n < most && strings.IndexByte(letters, s[n]) >= 0 {
		n++
	}
	return n
}

// isPlaceholder reports whether a token is made up for people to read: with words in it, or few
// different letters, or letters in the order of the alphabet.
func isPlaceholder(s string) bool {
	low := strings.ToLower(s)
	for _, word := range []string{
		"example", "xxxx", "your", "token", "secret", "placeholder", "changeme", "redacted", "dummy", "fake", "test", "sample", "insert",
		"replace", "abcd", "1234", "0000", "here", "key",
	} {
		if strings.Contains(low, word) {
			return true
		}
	}
	var seen [256]bool
	different := 0
	for i := range len(s) {
		if !seen[s[i]] {
			seen[s[i]] = true
			different++
		}
	}
	return different < min(10, len(s)/2)
}

func fetchAndRun(p *pass) {
	p.eachHook(func(h *doc.Node) {
		command, ok := h.Get("command").Text()
		if !ok {
			return
		}
		if program, err := words.Parse(command); err == nil && fetched(program) != nil {
			c := h.Get("command")
			p.find(c.Start, c.End, "the hook runs what it fetches, and nobody sees what that is").Help = "ship the script with the plugin"
		}
	})
	for _, d := range p.doc.directives {
		if d.program == nil {
			continue
		}
		if n := fetched(d.program); n != nil {
			p.at(d, from(n), to(n), "the directive runs what it fetches, and nobody sees what that is").Help = "ship the script with the skill"
		}
	}
}

// fetched finds a program that is fetched and run: curl … | sh, bash <(curl …), eval "$(curl …)".
func fetched(program *syntax.File) syntax.Node {
	var found syntax.Node
	syntax.Walk(program, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			if (n.Op == syntax.Pipe || n.Op == syntax.PipeAll) && isShell(callOf(lastOf(n.Y))) && fetches(n.X) {
				found = n
			}
		case *syntax.CallExpr:
			if len(n.Args) > 0 && (isShell(n) || slices.Contains([]string{"eval", "source", "."}, name(n))) {
				for _, w := range n.Args[1:] {
					if fetches(w) {
						found = n
					}
				}
			}
		}
		return found == nil
	})
	return found
}

func isShell(call *syntax.CallExpr) bool {
	if call == nil {
		return false
	}
	all := append([]string{name(call)}, args(call)...)
	for len(all) > 1 && (all[0] == "sudo" || all[0] == "env" || all[0] == "command" || strings.HasPrefix(all[0], "-")) {
		all = all[1:]
	}
	return slices.Contains([]string{"sh", "bash", "zsh", "dash", "ksh", "python", "python3", "node", "perl", "ruby"}, filepath.Base(all[0]))
}

// fetches reports whether something from the network is among what a node runs.
func fetches(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			found = found || slices.Contains([]string{"curl", "wget", "fetch"}, name(call))
		}
		return !found
	})
	return found
}

const (
	largeFile = 1 << 20
	blankRun  = 200 // lines, or columns, that push what follows out of sight
)

func opaqueFile(p *pass) {
	p.blanks()
	dir := filepath.Dir(p.doc.file.Path)
	if !files.IsFile(p.doc.file.Path) {
		return
	}
	count := 0
	_ = filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() && slices.Contains(find.Skipped, e.Name()) {
			return fs.SkipDir
		}
		if e.IsDir() && file != dir && files.IsFile(filepath.Join(file, "SKILL.md")) {
			return fs.SkipDir // a skill of its own
		}
		if count++; count > 10_000 {
			return fs.SkipAll
		}
		if !e.Type().IsRegular() {
			return nil
		}
		if why := opaque(file, e); why != "" {
			rel, _ := filepath.Rel(dir, file)
			p.find(0, min(3, len(p.doc.src)), "%s was not read: %s", filepath.ToSlash(rel), why)
		}
		return nil
	})
}

// blanks reports a text that is pushed out of sight.
func (p *pass) blanks() {
	run, start := 0, 0
	for i := range p.doc.lines {
		line := p.doc.lineText(i + 1)
		if strings.TrimSpace(line) == "" {
			if run == 0 {
				start = p.doc.lines[i]
			}
			run++
			continue
		}
		if run > blankRun {
			p.find(start, p.doc.lines[i], "%d empty lines, and then more text", run)
		}
		run = 0
		if len(line) <= blankRun {
			continue
		}
		if n := strings.Index(strings.TrimRight(line, " \t"), strings.Repeat(" ", blankRun)); n >= 0 {
			p.find(p.doc.lines[i]+n, p.doc.lines[i]+n+blankRun, "more than %d spaces, and then more text", blankRun)
		}
	}
}

// opaque says why a file cannot be read by a person, or "".
func opaque(file string, e fs.DirEntry) string {
	info, err := e.Info()
	if err != nil {
		return ""
	}
	if info.Size() > largeFile {
		return fmt.Sprintf("it has %d MB", (info.Size()+largeFile/2)>>20)
	}
	if slices.Contains([]string{".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".ico", ".ttf", ".otf", ".woff", ".woff2", ".pdf"},
		strings.ToLower(filepath.Ext(file))) {
		return "" // pictures and fonts are what they are
	}
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return ""
	}
	switch head = head[:n]; {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("\x1f\x8b")),
		bytes.HasPrefix(head, []byte("7z\xbc\xaf")), bytes.HasPrefix(head, []byte("BZh")), bytes.HasPrefix(head, []byte("\xfd7zXZ")):
		return "it is an archive"
	case bytes.IndexByte(head, 0) >= 0:
		return "it is binary"
	}
	return ""
}
