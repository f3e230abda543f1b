package skill

import (
	"fmt"
	"strings"
	"testing"

	"github.com/skillhand/skillhand/internal/test"
)

// TestParse runs testdata/*.txtar: NAME.md is parsed, NAME.want lists its parts.
func TestParse(t *testing.T) {
	test.Cases(t, "testdata/*.txtar", func(t *testing.T, c test.Case) map[string]string {
		got := map[string]string{}
		for file, text := range c.Files {
			if name, ok := strings.CutSuffix(file, ".md"); ok {
				got[name+".want"] = describeSkill(t, name, []byte(text))
			}
		}
		return got
	})
}

// describeSkill lists a skill's parts, one on a line, then its sections and warnings.
func describeSkill(t *testing.T, name string, src []byte) string {
	s := Parse(name+"/SKILL.md", src)
	checkParts(t, src, s)
	var b strings.Builder
	for _, p := range s.Parts {
		describePart(&b, "", p)
	}
	sections, err := s.Sections()
	if err != nil {
		fmt.Fprintln(&b, err)
	}
	for _, x := range []struct {
		name string
		Section
	}{{"skill", sections.Skill}, {"output", sections.Output}} {
		if x.Exists() {
			fmt.Fprintf(&b, "section %s %q\n", x.name, join(x.Of(s.Parts)))
		}
	}
	for _, n := range s.Notes {
		fmt.Fprintln(&b, "note", n.Code, s.Say(n))
	}
	return b.String()
}

func describePart(b *strings.Builder, indent string, p Part) {
	kind := p.Kind.String()
	fmt.Fprintf(b, "%s%d %s %q", indent, p.Line, kind, p.Source)
	for _, word := range []struct {
		text string
		on   bool
	}{
		{"code", p.InCode && indent == ""},
		{"name=" + p.Name, p.Name != ""},
		{"braced", p.Braced},
		{"escaped", p.Escaped},
		{"block", p.Block},
		{"fenced", p.Fenced},
		{"alone", p.Alone},
		{p.Tag + "=" + p.TagName, p.Tag != ""},
		{"close", p.Close},
	} {
		if word.on {
			b.WriteString(" " + word.text)
		}
	}
	b.WriteString("\n")
	for _, c := range p.Command {
		describePart(b, "    ", c)
	}
}

// checkParts fails unless the parts are what every skill's are.
func checkParts(t *testing.T, src []byte, s *Skill) {
	t.Helper()
	if got := join(s.Parts); got != string(src) {
		t.Fatalf("the parts of %q joined are %q", src, got)
	}
	line, offset := 1, 0
	for _, p := range s.Parts {
		if p.Offset != offset {
			t.Fatalf("the part %q of %q is at %d, want %d", p.Source, src, p.Offset, offset)
		}
		offset += len(p.Source)
		if p.Line != line {
			t.Fatalf("the part %q of %q is on line %d, want %d", p.Source, src, p.Line, line)
		}
		if p.Source == "" {
			t.Fatalf("an empty part in %q", src)
		}
		last, at := p.Line, 0
		for _, c := range p.Command {
			checkCommand(t, src, p, c, at)
			at += len(c.Source)
			if !c.InCode || c.Line < last || c.Line > line+strings.Count(p.Source, "\n") || c.Kind != Text && c.Kind != Variable {
				t.Fatalf("the command part %+v in %q", c, p.Source)
			}
			last = c.Line
		}
		if p.Kind == Directive && strings.TrimSpace(join(p.Command)) == "" {
			t.Fatalf("the blank directive %q in %q", p.Source, src)
		}
		line += strings.Count(p.Source, "\n")
	}
}

// checkCommand fails unless a part of a command, which starts at the command's
// byte at, is where it says, each of its lines in one piece.
func checkCommand(t *testing.T, src []byte, directive, c Part, at int) {
	t.Helper()
	if c.Offset != directive.SourceOffset(at) || c.Offset < directive.Offset || c.Offset > directive.Offset+len(directive.Source) {
		t.Fatalf("the command part %+v is not in %q", c, directive.Source)
	}
	for line := range strings.Lines(c.Source) {
		text := strings.TrimLeft(strings.TrimRight(line, "\r\n"), " ")
		from := at + strings.Index(line, text)
		if text != "" && !strings.HasPrefix(string(src[directive.SourceOffset(from):]), text) {
			t.Fatalf("%q of the command part %+v is not at %d of %q", text, c, directive.SourceOffset(from), src)
		}
		at += len(line)
	}
}

func join(parts []Part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Source)
	}
	return b.String()
}

// TestParseBytes has what a text file cannot show.
func TestParseBytes(t *testing.T) {
	tests := []struct {
		src  string
		want string // the parts; commands in ‹›
	}{
		{"", ""},
		{"\ufeff", "header"},
		{"\ufeff!`a`", "header directive‹a›"},
		{"---\r\nx: 1\r\n---\r\n!`a`\r\n", "header directive‹a› text"},
		{"```!\r\na\r\n\r\nb\r\n```\r\n", "directive‹a\n\nb\n› text"},
		{"!`a\r\nb`\r\n", "directive‹a\nb› text"},
		{"> !`a\r\n> b`\r\n", "text directive‹a\nb› text"},
		{"!`a\rb`", "directive‹a\rb›"},
		{"x\r!`a`\ry", "text directive‹a› text"},
		{"a\u00a0!`b`", "text directive‹b›"},
		{"a\u3000!`b`", "text directive‹b›"},
		{"\xa0!`b`", "text text"}, // half a character is no white space
		{"a\x00!`b`", "text text"},
		{"\x00\xff$1\xfe", "text variable text"},
		{"!`\xff\x00`", "directive‹\xff\x00›"},
		{"`a\n\n!`b`\n", "text directive‹b› text"},
		{"<output>\r\n!`a`\r\n</output>\r\n", "tag directive‹a› text tag"},
		{"<output> \t", "tag"},
		{"```\r\n!`a`\r\n\r\n!`b`\r\n```\r\n", "text directive‹a› text directive‹b› text text"},
		{"```\n\u00a0!`a`\u3000!`b`\n```", "text directive‹a› text directive‹b› text"},
		{"-\t```\n\t\t!`a`\n\t```", "text text directive‹a› text"},
		{"-\t```!\n\ta\n\t```", "text directive‹a\n›"},
		{"> ```!\n>\ta\n> ```", "text directive‹  a\n›"}, // one of the tab's columns is the quote's
		{">\t```!\n>\t\ta\n>\t```", "text directive‹\ta\n›"},
	}
	for _, tt := range tests {
		s := Parse("x/SKILL.md", []byte(tt.src))
		checkParts(t, []byte(tt.src), s)
		var got []string
		for _, p := range s.Parts {
			word := p.Kind.String()
			if p.Kind == Directive {
				word += "‹" + join(p.Command) + "›"
			}
			got = append(got, word)
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("Parse(%q) = %q, want %q", tt.src, got, tt.want)
		}
	}
}

// TestParseLinear parses texts that a careless parser reads again and again.
// Each takes a fraction of a second; quadratic time would be minutes. The limit
// is far from both, for machines that are busy.
func TestParseLinear(t *testing.T) {
	const size = 1 << 18
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	tests := map[string]string{
		"backticks":          runs(size),
		"escaped backticks":  fill("\\``` "),
		"open tags":          fill("<a b=\" c=' "),
		"comments":           fill("a <!-- "),
		"html comments":      "<div>\n" + fill("<!-- a -"),
		"instructions":       fill("a <? "),
		"declarations":       fill("a <!X "),
		"brackets":           fill("[") + "`" + fill("]"),
		"links":              "`" + fill("[a](b"),
		"images":             "`" + fill("![[]()"),
		"titles":             "`" + fill("[a](b '\""),
		"references":         "`" + fill("[a][b"),
		"labels":             "[a]: b\n\n`" + fill("[a] "),
		"definitions":        fill("[a]: b\n"),
		"titled definitions": fill("[a]: b\n'"),
		"quotes":             fill(">") + "\n" + fill(">\na\n"),
		"list items":         fill("- ") + "a\n" + fill("\n"),
		"indented items":     fill("- ") + "a\n" + fill(" ") + "a\n" + fill("\n \n"),
		"rules":              fill("* ") + "a",
		"lazy lines":         fill("> - ") + "a\n" + fill("a\n"),
		"carriage returns":   fill("\r"),
		"dollars":            fill("$"),
		"escaped variables":  fill("\\\\\\$1"),
		"directives":         fill("!`a` "),
		"spaced directives":  "a\n" + fill(" ") + fill("!`a` "),
		"html directives":    "<div>\n" + fill(" !`a"),
		"long directives":    "!`" + fill("a\n") + "` " + fill("!`a\nb`\n"),
		"tags":               fill("<skill>\n</output>\n"),
		"emphasis":           fill("*a **a "),
		"live fences":        fill("```\n!`a`\n```\n"),
		"long live fences":   "```\n" + fill("!`a` ") + "\n" + fill("!`a`\n") + "```\n",
		"nearly live fences": "```\n" + fill("!`a`\n") + "x\n```\n",
		"unclosed":           fill("!`a\n\n"),
		"named arguments":    "---\narguments: [" + numbered("a%d, ", size) + "]\n---\n" + numbered("$a%d ", size),
		"odd arguments":      "---\narguments: [" + numbered("a-%d, ", size) + "]\n---\n" + numbered("$a-%d ", size),
		"long arguments":     "---\narguments: [" + lengths(size) + "]\n---\n" + fill("$"+strings.Repeat("a", 1000)),
		"dollar arguments":   "---\narguments: [\"" + strings.Repeat("$", 256) + "\"]\n---\n" + fill("$"),
		"fields":             "---\n" + numbered("f%d: [x]\n", size) + "---\n",
		"fields on a line":   "---\n{" + numbered("f%d: [x], ", size) + "}\n---\n",
		"items":              "---\na:\n" + fill("- # c\n  b\n") + "---\n",
		"autolinks":          fill("<a:b"),
		"mails":              "`" + fill("<a@b.c.d"),
	}
	for name, src := range tests {
		s := Parse("x/SKILL.md", []byte(src))
		s.Sections()
		if got := string(s.Source()); got != src {
			t.Errorf("%s: the parts are not the text: %d bytes of %d", name, len(got), len(src))
		}
	}
}

// numbered fills in the numbers from 0 on, in about size bytes.
func numbered(format string, size int) string {
	var b strings.Builder
	for n := 0; b.Len() < size; n++ {
		fmt.Fprintf(&b, format, n)
	}
	return b.String()
}

// lengths makes names that all have different lengths.
func lengths(size int) string {
	var b strings.Builder
	for n := 1; b.Len() < size; n++ {
		b.WriteString(strings.Repeat("a", n) + ", ")
	}
	return b.String()
}

// runs makes runs of backticks that all have different lengths.
func runs(size int) string {
	var b strings.Builder
	for n := 1; b.Len() < size; n++ {
		b.WriteString(strings.Repeat("`", n) + " ")
	}
	return b.String()
}

func BenchmarkParse(b *testing.B) {
	for _, size := range []int{10 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			src := []byte(sample(size))
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				Parse("sample/SKILL.md", src)
			}
		})
	}
}

// sample is a skill of about size bytes, with about as much code as usual.
func sample(size int) string {
	const unit = `
## Step $0: look at the state

Read the output of ` + "`git status --short`" + ` first, then compare it with what *${CLAUDE_SKILL_DIR}/notes.md*
says. See [the manual](https://example.com/manual) for details, and don't guess: the
state may have changed since the last run, in which case the report is stale.

- Files that are not tracked are listed under ` + "`??`" + `.
- Everything else is staged or not, see below.
  1. Staged: leave it.
  2. Not staged: ask.

` + "```bash\nfor f in \"$@\"; do\n  echo \"$f: $(wc -l <\"$f\")\"\ndone\n```\n\nCurrent branch: !`git branch --show-current`\n"
	return "---\nname: sample\ndescription: A sample.\n---\n" + strings.Repeat(unit, 1+size/len(unit))
}
