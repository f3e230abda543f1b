package check

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/find"
)

func evalRules() []*Rule {
	return []*Rule{
		{ID: "SK610", Name: "eval-passes", Severity: Warning, agent: claude, kinds: []Kind{Skill, Plugin}, run: evalPasses,
			Summary: "a suite of claude plugin eval passes when nothing happens"},
		{ID: "SK611", Name: "eval-ignored", Severity: Warning, agent: claude, kinds: []Kind{Skill, Plugin}, run: evalIgnored,
			Summary: "claude plugin eval passes over a part of a suite, and says nothing"},
	}
}

// An evalCase is one case of a suite of claude plugin eval: what decides whether it passes.
type evalCase struct {
	dir     string
	file    *evalFile // prompt.md, or else case.yaml; nil if there is neither
	yaml    *evalFile
	history bool // it runs without the arm that has no plugin
	graders []*evalGrader
	bare    []*evalFile // graders' files without frontmatter
}

// An evalFile is a file of a case.
type evalFile struct {
	path   string
	src    []byte
	fields *yaml.Node // of the file or its frontmatter; nil if it has none
	body   string
}

// An evalGrader is what a grader wants.
type evalGrader struct {
	file *evalFile
	line int

	Type    string
	Tool    string
	Min     *int
	Max     *int
	Arm     string
	Match   string
	Pattern string
	Flags   string
	Exists  *bool
	Target  yaml.Node
}

// evals reads the suite beside a skill, or the plugin's.
func (p *pass) evals() []*evalCase {
	if !files.IsFile(p.doc.file.Path) || p.doc.file.Kind == Skill && files.IsFile(filepath.Join(p.folder(), ".claude-plugin", "plugin.json")) {
		return nil // the plugin's own pass tells
	}
	dir := filepath.Join(p.folder(), "evals")
	if p.doc.file.Kind == Plugin {
		if name, ok := p.doc.json.Get("experimental").Get("evals").Text(); ok && filepath.IsLocal(name) {
			dir = filepath.Join(p.folder(), filepath.FromSlash(name))
		}
	}
	var all []*evalCase
	_ = find.WalkCases(dir, nil, func(dir string) []string { // what cannot be read has no cases
		c := readEval(dir)
		all = append(all, c)
		for _, f := range c.files() {
			p.doc.reads(f.path)
		}
		return nil
	})
	return all
}

func (c *evalCase) files() []*evalFile {
	all := append([]*evalFile{c.file, c.yaml}, c.bare...)
	for _, g := range c.graders {
		all = append(all, g.file)
	}
	return slices.DeleteFunc(all, func(f *evalFile) bool { return f == nil })
}

func readEval(dir string) *evalCase {
	c := &evalCase{dir: dir, yaml: openEval(filepath.Join(dir, find.CaseFile)), file: openEval(filepath.Join(dir, find.PromptFile))}
	if c.yaml != nil {
		c.history = nodeOf(nodeOf(c.yaml.fields, "context"), "history_file") != nil
		if list := nodeOf(c.yaml.fields, "graders"); list != nil {
			for _, n := range list.Content {
				c.grader(c.yaml, n)
			}
		}
		if c.file == nil {
			c.file = c.yaml
		}
	}
	for _, name := range find.Graders(dir) {
		switch f := openEval(name); {
		case f == nil:
		case f.fields == nil:
			c.bare = append(c.bare, f)
		default:
			c.grader(f, f.fields)
		}
	}
	return c
}

// grader adds a grader. One that cannot be read fails, as claude plugin eval says itself.
func (c *evalCase) grader(f *evalFile, n *yaml.Node) {
	g := &evalGrader{file: f, line: n.Line}
	if n.Decode(g) != nil {
		g.Type = ""
	}
	if g.Pattern == "" {
		g.Pattern = f.body
	}
	c.graders = append(c.graders, g)
}

// openEval reads a file of a case, or returns nil if it cannot be read as one.
func openEval(path string) *evalFile {
	src, err := files.ReadFile(path)
	if err != nil {
		return nil
	}
	f := &evalFile{path: path, src: src}
	var fields []byte
	if fields, f.body, _ = find.SplitCase(path, src); fields == nil {
		return f
	}
	var doc yaml.Node
	if yaml.Unmarshal(fields, &doc) != nil || len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return nil
	}
	f.fields = doc.Content[0]
	return f
}

// nodeOf returns a field of a mapping, or nil.
func nodeOf(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// evalPasses reports cases that are green after a run in which the model neither answered nor used
// a tool, as after a time-out (testdata/claude/SK610-eval.txtar). One such case is right where
// nothing should happen; a suite of nothing else tests nothing.
func evalPasses(p *pass) {
	cases := slices.DeleteFunc(p.evals(), func(c *evalCase) bool { return c.file == nil || len(c.graders) == 0 })
	empty, told := 0, false
	for _, c := range cases {
		passes, unscored := c.passesEmpty()
		if !passes {
			continue
		}
		empty++
		if unscored == nil {
			continue
		}
		told = true
		f := p.beside(unscored.file.path, unscored.file.src, unscored.line,
			"claude plugin eval shows this grader and does not score it: the others pass when nothing happens, and so does the case")
		f.Help = "add arm: both, or a grader that wants what the skill makes"
	}
	if told || empty == 0 || empty < len(cases) {
		return
	}
	what := "the only case of the suite passes"
	if empty > 1 {
		what = fmt.Sprintf("all %d cases of the suite pass", empty)
	}
	f := p.beside(cases[0].file.path, cases[0].file.src, 1, "%s when nothing happens: a time-out or an empty answer is a success", what)
	f.Help = "add a case with a grader that wants something: a text in the answer, a file, the use of a tool"
}

// passesEmpty reports whether a case passes when nothing happens, and names the grader that would
// have kept it from that, had it been scored. With the plugin and without it are two arms. Graders for
// one of them, as that of the Skill tool is by itself, do not count, unless no other does.
func (c *evalCase) passesEmpty() (passes bool, unscored *evalGrader) {
	scored := 0
	for _, g := range c.graders {
		switch {
		case g.isForOneArm() && !c.history && slices.ContainsFunc(c.graders, func(g *evalGrader) bool { return !g.isForOneArm() }):
			if !g.passesEmpty() {
				unscored = g
			}
		case !g.passesEmpty():
			return false, nil
		default:
			scored++
		}
	}
	return scored > 0, unscored
}

func (g *evalGrader) isForOneArm() bool {
	return g.Arm == "with-only" || g.Type == "tool_used" && g.Tool == "Skill" && g.Arm != "both"
}

// passesEmpty reports whether a grader passes when nothing happens. A judge may say anything, and a
// trace is never empty: nobody knows about these.
func (g *evalGrader) passesEmpty() bool {
	switch g.Type {
	case "tool_used":
		return g.Min != nil && *g.Min == 0 && (g.Max == nil || *g.Max >= 0)
	case "file_exists":
		return g.Exists != nil && !*g.Exists
	case "regex":
		return g.matchesEmpty()
	}
	return false
}

func (g *evalGrader) matchesEmpty() bool {
	matches, err := nullable(g.Pattern)
	if err != nil || g.Target.Kind == yaml.MappingNode || !slices.Contains([]string{"", "last_message", "files"}, g.Target.Value) {
		return false
	}
	if times, ok := strings.CutPrefix(g.Match, "count:"); ok {
		return matches && times == "1" || !matches && times == "0"
	}
	return matches == (g.Match != "not_contains")
}

// evalIgnored reports parts of a suite that do nothing. Claude Code says so of none of them.
func evalIgnored(p *pass) {
	for _, c := range p.evals() {
		for _, f := range c.bare {
			x := p.beside(f.path, f.src, 1, "a grader without frontmatter: claude plugin eval passes over it")
			x.Help = "begin it with ---, and its type: regex, tool_used, tool_order, file_exists, llm or baseline"
		}
		if c.file == nil && len(c.graders) > 0 {
			f := p.beside(c.graders[0].file.path, c.graders[0].file.src, 1, "%s has graders and no prompt: claude plugin eval does not run it", filepath.Base(c.dir))
			f.Help = "add prompt.md beside the folder graders"
		}
		if c.yaml != nil {
			p.unknownKeys(c.yaml, c.yaml.fields, find.CaseKeys)
			p.unknownKeys(c.yaml, nodeOf(c.yaml.fields, "execution"), find.ExecutionKeys)
		}
		for _, g := range c.graders {
			if g.Type == "tool_used" && g.Min == nil && g.Max != nil && *g.Max == 0 {
				p.beside(g.file.path, g.file.src, g.line, "max: 0 alone means at least one use and at most none, which never holds").Help = "write min: 0, max: 0"
			}
		}
	}
}

func (p *pass) unknownKeys(f *evalFile, n *yaml.Node, known []string) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if slices.Contains(known, key.Value) {
			continue
		}
		x := p.beside(f.path, f.src, key.Line, "claude plugin eval does not know %s, and ignores it", key.Value)
		if near := nearest(key.Value, known); near != "" {
			x.Help = "write " + near
		}
	}
}
