package skill

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"go.yaml.in/yaml/v3"
)

func FuzzParse(f *testing.F) {
	addSeeds(f)
	for _, seed := range []string{
		"---\r\narguments: [a-b, 'a']\r\nallowed-tools:\r\n- Bash\r\n---\r\n> ```!\r\n> a $a-b\r\n>\tb $0.10\r\n> ```\r\n",
		"-\t```\n\t\t!`a $0`\n\n\t!`b` \u3000!`c`\n\t```\n</output>\n<skill>\n</output>\n",
		"---\nname: x\n\xc2\x85description: {a: [b, 'c'], d: *e}\n---\n!`a\n> b",
		"---\n? a\n: b\n? [c]\n: - d\n  - - e\n---\n",
		"---\n&a b: !!str c\n\"d\\\"\": |\n  e\n# f\n---\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		s := Parse("x/SKILL.md", src)
		checkParts(t, src, s)
		checkFields(t, string(src), s.Front.Fields)
		for _, n := range append(s.Notes, s.Faults()...) {
			if n.Offset > len(src) || n.Line != 1+strings.Count(string(src[:n.Offset]), "\n") || n.Code == "" || n.Text == "" {
				t.Errorf("%q: the note %+v", src, n)
			}
		}
		sections, err := s.Sections()
		if err != nil && sections != (Sections{}) {
			t.Errorf("%q has both sections and faults", src)
		}
	})
}

// addSeeds adds the skills of testdata/*.txtar.
func addSeeds(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, x := range txtar.Parse(data).Files {
			if filepath.Ext(x.Name) == ".md" {
				f.Add(x.Data)
			}
		}
	}
}

// FuzzSimpleYAML compares what is read without package yaml with what that reads.
func FuzzSimpleYAML(f *testing.F) {
	for _, seed := range []string{
		"name: x\ndescription: Does it, \"well\" — [a] {b} 'c' & more! Use it.\n", "a: b", "a:  b  \n", "a: b\n c\n", "a: b # c\n",
		"a: b#c:d\n", "a: b: c\n",
		"a: b:\n", "yes: b\n", "a: No\n", "a: b\n\n", "a: b\nc: d\na: e\n", "a: b\r\n", "a: \tb\n", "a: b\tc\n", "a: b\u2028c: d\n",
		"a: b\ufeff\n", "a: é\n",
		"a: b\x7f\n", "a: 1\n", "---: b\n", "a: b\n---\n", "a: b ...\n", "a: b\n...\n", "a: b `c` %d @e |f >g *h ?i\n",
		"a: b, c\n", "a-b_c9: Bash(x:*)\n", "a: b\xff\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := simpleYAML(text)
		if !ok {
			return
		}
		var want yaml.Node
		if err := yaml.Unmarshal([]byte(text), &want); err != nil {
			t.Fatalf("%q is taken, though %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	})
}
