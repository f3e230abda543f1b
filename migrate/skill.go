package migrate

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/skillhand/skillhand/edit"
	"github.com/skillhand/skillhand/render"
	"github.com/skillhand/skillhand/shell"
	"github.com/skillhand/skillhand/skill"
)

// skills migrates the texts of skills: bindings and handlers become
// directives, first-use.md gets sections or a folder of its own.
func (t *tree) skills(paths []string) []Result {
	var results []Result
	for _, p := range paths {
		dir := path.Dir(p)
		switch path.Base(p) {
		case "bindings.json":
			results = append(results, t.bindings(dir)...)
		case "handler.sh":
			results = append(results, t.handler(dir)...)
		}
	}
	for _, p := range paths {
		if path.Base(p) == "first-use.md" {
			results = append(results, t.firstUse(path.Dir(p))...)
		}
	}
	return merge(results)
}

// merge makes one result of those about one file.
func merge(results []Result) []Result {
	var merged []Result
	for _, r := range results {
		i := slices.IndexFunc(merged, func(m Result) bool { return m.Path == r.Path })
		switch {
		case i < 0:
			merged = append(merged, r)
		case r.Status == Changed && merged[i].Status == Changed:
			r.Edit.Before = merged[i].Edit.Before
			merged[i] = r
		case r.Status == Changed:
			merged[i] = r
		case merged[i].Status == Changed && r.Reason != "":
			merged[i].Edit.Notes = append(merged[i].Edit.Notes, edit.Note{Line: r.Line, Text: r.Reason})
		}
	}
	return merged
}

// text is the file of the skill in dir: what skill.Find would find.
func (t *tree) text(dir string) string {
	for _, p := range []string{dir + "-first-use/SKILL.md", path.Join(dir, "first-use.md"), path.Join(dir, "SKILL.md")} {
		if _, ok := t.files[p]; ok {
			return p
		}
	}
	return ""
}

// bindings puts the commands of a bindings.json in the places of its variables.
func (t *tree) bindings(dir string) []Result {
	file := path.Join(dir, "bindings.json")
	text := t.text(dir)
	if text == "" {
		return []Result{{Path: file, Status: LeftAlone, Reason: "there is no skill text beside it"}}
	}
	b, err := render.ParseBindings(file, t.files[file])
	if e, ok := errors.AsType[*render.BindingsError](err); ok {
		return []Result{result(file, nil, &ParseError{file, e.Line, e.Err.Error()})}
	}
	s := skill.Parse(text, t.files[text])
	var out strings.Builder
	for i, part := range s.Parts {
		words := b.Words(part.Name)
		switch {
		case part.Kind == skill.Directive && usesBinding(part, b):
			return []Result{{Path: text, Status: LeftAlone, Line: part.Line, Reason: "a directive uses a variable of bindings.json"}}
		case part.Kind != skill.Variable || !part.Braced || part.Escaped || words == nil:
			out.WriteString(part.Source)
			continue
		}
		command, err := t.command(dir, words)
		before := out.String()
		switch {
		case err != nil:
			return []Result{{Path: file, Status: LeftAlone, Reason: fmt.Sprintf("${%s}: %v", part.Name, err)}}
		case part.InCode:
			return []Result{{Path: text, Status: LeftAlone, Line: part.Line, Reason: fmt.Sprintf("${%s} is in code, where a directive does not run", part.Name)}}
		case before != "" && !strings.ContainsAny(before[len(before)-1:], " \t\n") && i > 0:
			return []Result{{Path: text, Status: LeftAlone, Line: part.Line, Reason: fmt.Sprintf("${%s} follows other text, where a directive does not run", part.Name)}}
		}
		out.WriteString("!`" + command + "`")
	}
	e := &edit.Edit{Name: text, Before: t.files[text], After: []byte(out.String())}
	if was, is := count(s, skill.Directive)+uses(s, b), count(skill.Parse(text, e.After), skill.Directive); was != is {
		return []Result{{Path: text, Status: LeftAlone, Reason: "a directive in place of a variable would not run"}}
	}
	t.files[text] = e.After
	return []Result{{Path: text, Status: Changed, Edit: e}, {Path: file, Status: Changed, Remove: true, Edit: &edit.Edit{Name: file, Before: t.files[file]}}}
}

// command writes a binding's command as a directive would: a launcher by its path.
func (t *tree) command(dir string, words []string) (string, error) {
	root := path.Dir(path.Dir(dir))
	name := words[0]
	if class := name[strings.LastIndexByte(name, '.')+1:]; strings.Contains(name, ".") && class != "" && unicode.IsUpper(rune(class[0])) {
		name = kebab(class) // a class of an older loader, whose launcher has its name
	}
	command := shell.Quote(append([]string{name}, words[1:]...))
	for _, bin := range []string{"hooks/bin", "bin"} {
		if _, ok := t.files[path.Join(root, bin, name)]; ok {
			command = fmt.Sprintf(`"${CLAUDE_PLUGIN_ROOT}/%s/%s"`, bin, name)
			if len(words) > 1 {
				command += " " + shell.Quote(words[1:])
			}
			break
		}
	}
	if strings.ContainsAny(command, "`\n") {
		return "", fmt.Errorf("%s: cannot be written as a directive", command)
	}
	return command, nil
}

// kebab is GetStatusOutput as get-status-output.
func kebab(s string) string {
	var b strings.Builder
	for i, r := range s {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func usesBinding(part skill.Part, b *render.Bindings) bool {
	return slices.ContainsFunc(part.Command, func(c skill.Part) bool {
		return c.Kind == skill.Variable && c.Braced && !c.Escaped && b.Words(c.Name) != nil
	})
}

func uses(s *skill.Skill, b *render.Bindings) (n int) {
	for _, p := range s.Parts {
		if p.Kind == skill.Variable && p.Braced && !p.Escaped && b.Words(p.Name) != nil {
			n++
		}
	}
	return n
}

func count(s *skill.Skill, kind skill.Kind) (n int) {
	for _, p := range s.Parts {
		if p.Kind == kind {
			n++
		}
	}
	return n
}

// handler puts a directive that runs handler.sh at the top of the skill's
// text, where the older loader put its output.
func (t *tree) handler(dir string) []Result {
	file := path.Join(dir, "handler.sh")
	text := t.text(dir)
	if text == "" {
		return []Result{{Path: file, Status: LeftAlone, Reason: "there is no skill text beside it"}}
	}
	s := skill.Parse(text, t.files[text])
	header := ""
	for _, p := range s.Parts {
		if p.Kind == skill.Header {
			header = p.Source
		}
		if p.Kind == skill.Directive && strings.Contains(p.Source, "handler.sh") {
			return []Result{{Path: file, Status: Unchanged}}
		}
	}
	directive := "!`bash \"${CLAUDE_SKILL_DIR}/handler.sh\"`\n\n"
	if path.Dir(text) != dir {
		directive = "!`bash \"${CLAUDE_SKILL_DIR}/../" + path.Base(dir) + "/handler.sh\"`\n\n"
	}
	e := &edit.Edit{Name: text, Before: t.files[text], After: []byte(header + directive + string(t.files[text][len(header):]))}
	if is := skill.Parse(text, e.After); count(is, skill.Directive) != count(s, skill.Directive)+1 {
		return []Result{{Path: text, Status: LeftAlone, Reason: "a directive at its top would not run"}}
	}
	t.files[text] = e.After
	return []Result{{Path: text, Status: Changed, Edit: e}, {Path: file, Status: LeftAlone, Reason: text + " puts what it prints on the page"}}
}

// firstUse gives the first-use.md in dir its sections, and with the option its own folder.
func (t *tree) firstUse(dir string) []Result {
	file := path.Join(dir, "first-use.md")
	before := t.files[file]
	after, err := sections(file, path.Base(dir), before)
	if err != nil || !t.opt.Companion {
		return []Result{result(file, &edit.Edit{Name: file, Before: before, After: after}, err)}
	}
	companion := dir + "-first-use/SKILL.md"
	if _, ok := t.files[companion]; ok {
		return []Result{{Path: file, Status: LeftAlone, Reason: companion + " already exists"}}
	}
	s := skill.Parse(file, before)
	for _, p := range s.Parts {
		if strings.Contains(p.Source, "CLAUDE_SKILL_DIR") {
			return []Result{{Path: file, Status: LeftAlone, Line: p.Line, Reason: "${CLAUDE_SKILL_DIR} would be another folder"}}
		}
	}
	if count(s, skill.Header) == 0 {
		after = append(fmt.Appendf(nil, "---\nname: %[1]s-first-use\ndescription: The text of the skill %[1]s, for agents that preload it. Do not invoke it directly.\nuser-invocable: false\n---\n", path.Base(dir)), after...)
	}
	return []Result{
		{Path: companion, Status: Changed, Edit: &edit.Edit{Name: companion, After: after}},
		{Path: file, Status: Changed, Remove: true, Edit: &edit.Edit{Name: file, Before: before}},
	}
}

// sections puts what is read once between <skill> tags, and directives that
// stand alone, before it or after it, between <output> tags.
func sections(file, name string, src []byte) ([]byte, error) {
	s := skill.Parse(file, src)
	if count(s, skill.Tag) > 0 {
		return src, nil
	}
	header, from, to := "", 0, 0 // where the text begins and ends, without directives around it
	offset := 0
	for _, p := range s.Parts {
		start := offset
		offset += len(p.Source)
		switch {
		case p.Kind == skill.Header:
			header = p.Source
			from, to = offset, offset
		case p.Kind == skill.Directive && p.Alone, p.Kind == skill.Text && strings.TrimSpace(p.Source) == "":
		default:
			if to == len(header) {
				from = start
			}
			to = offset
		}
	}
	for i, p := range s.Parts {
		if start := lengthOf(s.Parts[:i]); p.Kind == skill.Directive && p.Alone && from <= start && start < to {
			return nil, &LeftAloneError{file, p.Line, "a directive is in the middle of the instructions, and would lose its place in an <output> section"}
		}
	}
	body := func(element, text string) string {
		if text = strings.Trim(text, "\n"); text == "" {
			return ""
		}
		return fmt.Sprintf("<%[1]s name=%[2]q>\n%[3]s\n</%[1]s>\n", element, name, text)
	}
	above, text, below := string(src[len(header):from]), string(src[from:to]), string(src[to:])
	if strings.TrimSpace(above) != "" && strings.TrimSpace(below) != "" {
		return nil, &LeftAloneError{file, 0, "directives are above and below the instructions, and there can be only one <output> section"}
	}
	var all []string
	for _, section := range []string{body("output", strings.TrimRight(above, " \t\n")), body("skill", text), body("output", strings.TrimRight(below, " \t\n"))} {
		if section != "" {
			all = append(all, section)
		}
	}
	after := header + strings.Join(all, "\n")
	is := skill.Parse(file, []byte(after))
	if found, err := is.Sections(); err != nil || text != "" && !found.Skill.Exists() || count(is, skill.Directive) != count(s, skill.Directive) {
		return nil, &LeftAloneError{file, 0, "its sections would not be recognised"}
	}
	return []byte(after), nil
}

func lengthOf(parts []skill.Part) (n int) {
	for _, p := range parts {
		n += len(p.Source)
	}
	return n
}
