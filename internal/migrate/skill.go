package migrate

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/render"
	"github.com/skillhand/skillhand/internal/shell"
	"github.com/skillhand/skillhand/skill"
)

// skills migrates the texts of skills. Bindings and handlers become directives, and first-use.md
// gets sections or a folder of its own.
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
		switch {
		case path.Base(p) == "first-use.md":
			results = append(results, t.firstUse(path.Dir(p))...)
		case path.Base(p) == skill.MainFile && !skill.IsCompanion(path.Dir(p)):
			results = append(results, t.loader(p)...)
		}
	}
	return merge(results)
}

// stuckReason is why the texts of a skill stay as they are: the older loader still serves it.
const stuckReason = "its bindings.json names a class that no launcher here runs"

// merge combines the results about the same file.
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
			merged[i].Edit.Notes = append(merged[i].Edit.Notes, files.Note{Line: r.Line, Text: r.Reason})
		}
	}
	return merged
}

// texts returns the files that may hold the text of the skill in dir, in the order in which the
// loader tries them.
func (t *tree) texts(dir string) (texts []string) {
	for _, p := range []string{
		path.Join(skill.Companion(dir), skill.MainFile), path.Join(dir, "first-use.md"), path.Join(dir, "content.md"),
		path.Join(dir, skill.MainFile),
	} {
		if _, ok := t.files[p]; ok {
			texts = append(texts, p)
		}
	}
	return texts
}

// text returns the file of the skill in dir that is loaded, or "".
func (t *tree) text(dir string) string { return append(t.texts(dir), "")[0] }

// bindings replaces the variables of a bindings.json by directives with their commands. It removes
// the file if nothing uses it any more.
func (t *tree) bindings(dir string) []Result {
	file := path.Join(dir, "bindings.json")
	text := t.text(dir)
	leave := func(p string, line int, format string, a ...any) []Result {
		return []Result{{Path: p, Status: LeftAlone, Line: line, Reason: fmt.Sprintf(format, a...)}}
	}
	if text == "" {
		return leave(file, 0, "there is no skill text beside it")
	}
	b, err := render.ParseBindings(file, t.files[file])
	if e, ok := errors.AsType[*render.BindingsError](err); ok {
		return []Result{result(file, nil, &ParseError{file, e.Line, e.Err.Error()})}
	}
	s := skill.Parse(text, t.files[text])
	if uses(s, b) == 0 && !slices.ContainsFunc(s.Parts, func(p skill.Part) bool { return usesBinding(p, b) }) {
		return []Result{{Path: file, Status: LeftAlone, Names: true, Reason: text + " uses none of its variables"}}
	}
	var out strings.Builder
	for i, part := range s.Parts {
		words := b.Words(part.Name)
		switch {
		case part.Kind == skill.Directive && usesBinding(part, b):
			return leave(text, part.Line, "a directive uses a variable of bindings.json")
		case part.Kind != skill.Variable || !part.Braced || part.Escaped || words == nil:
			out.WriteString(part.Source)
			continue
		}
		command, err := t.command(dir, words)
		before := out.String()
		switch {
		case err != nil:
			t.stuck[dir] = true
			return leave(file, 0, "${%s}: %v", part.Name, err)
		case part.InCode:
			return leave(text, part.Line, "${%s} is in code, where a directive does not run", part.Name)
		case before != "" && !strings.ContainsAny(before[len(before)-1:], " \t\n") && i > 0:
			return leave(text, part.Line, "${%s} follows other text, where a directive does not run", part.Name)
		}
		out.WriteString("!`" + command + "`")
	}
	e := &files.Edit{Name: text, Before: t.files[text], After: []byte(out.String())}
	if was, is := count(s, skill.Directive)+uses(s, b), count(skill.Parse(text, e.After), skill.Directive); was != is {
		return leave(text, 0, "a directive in place of a variable would not run")
	}
	t.files[text] = e.After
	changed := Result{Path: text, Status: Changed, Edit: e}
	for _, other := range t.texts(dir) {
		if s := skill.Parse(other, t.files[other]); uses(s, b) > 0 {
			return []Result{{Path: file, Status: LeftAlone, Names: true, Reason: other + " still uses it"}, changed}
		}
	}
	return []Result{changed, {Path: file, Status: Changed, Remove: true, Edit: &files.Edit{Name: file, Before: t.files[file]}}}
}

// command returns the command of a binding for a directive: a launcher is called by its path.
func (t *tree) command(dir string, words []string) (string, error) {
	name := words[0]
	launcher, isClass := "", false
	if shell.IsClass(name) {
		class := name[strings.LastIndexByte(name, '.')+1:]
		isClass = true
		launcher = t.launcherOf(dir, func(file, runs string) bool { return runs == name || runs == "" && path.Base(file) == kebab(class) })
	} else {
		launcher = t.launcherOf(dir, func(file, _ string) bool { return path.Base(file) == name })
	}
	if isClass && launcher == "" {
		return "", fmt.Errorf("no launcher in hooks/bin or bin runs the class %s (java -m MODULE/%[1]s)", name)
	}
	command := quoteWords(words)
	if launcher != "" {
		command = fmt.Sprintf(`"${CLAUDE_PLUGIN_ROOT}/%s"`, launcher)
		if len(words) > 1 {
			command += " " + quoteWords(words[1:])
		}
	}
	if strings.ContainsAny(command, "`\n") {
		return "", fmt.Errorf("%s: cannot be written as a directive", command)
	}
	return command, nil
}

// quoteWords quotes words for a directive, in which the loader fills in its variables.
func quoteWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		plain := strings.NewReplacer("${CLAUDE_PLUGIN_ROOT}", "", "${CLAUDE_SKILL_DIR}", "", "${CLAUDE_PROJECT_DIR}", "").Replace(w)
		if quoted[i] = shell.Quote([]string{w}); plain != w && !strings.ContainsAny(plain, "\"\\$`") {
			quoted[i] = `"` + w + `"`
		}
	}
	return strings.Join(quoted, " ")
}

// launcherOf returns the launcher that fits, by its path in the plugin of the skill in dir, or "".
// fits gets the launcher's file, and the class that it runs, or "" if it runs none.
func (t *tree) launcherOf(dir string, fits func(file, runs string) bool) string {
	root := path.Dir(path.Dir(dir))
	for _, bin := range []string{"hooks/bin", "bin"} {
		for _, p := range slices.Sorted(maps.Keys(t.files)) {
			if path.Dir(p) == path.Join(root, bin) && fits(p, shell.ClassOf(t.files[p])) {
				return path.Join(bin, path.Base(p))
			}
		}
	}
	return ""
}

// kebab writes GetStatusOutput as get-status-output.
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

// handler puts a directive that runs handler.sh at the top of the skill's text, where the older
// loader put the output of handler.sh.
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
		if callsLoader(p, path.Base(dir)) {
			return []Result{{Path: file, Status: LeftAlone, Names: true,
				Reason: text + " calls a loader, and there is no other text of the skill"}}
		}
		if p.Kind == skill.Directive && strings.Contains(p.Source, "handler.sh") {
			return []Result{{Path: file, Status: Unchanged}}
		}
	}
	directive := "!`bash \"${CLAUDE_SKILL_DIR}/handler.sh\"`\n\n"
	if path.Dir(text) != dir {
		directive = "!`bash \"${CLAUDE_SKILL_DIR}/../" + path.Base(dir) + "/handler.sh\"`\n\n"
	}
	e := &files.Edit{Name: text, Before: t.files[text], After: []byte(header + directive + string(t.files[text][len(header):]))}
	if is := skill.Parse(text, e.After); count(is, skill.Directive) != count(s, skill.Directive)+1 {
		return []Result{{Path: text, Status: LeftAlone, Reason: "a directive at its top would not run"}}
	}
	t.files[text] = e.After
	return []Result{{Path: text, Status: Changed, Edit: e},
		{Path: file, Status: LeftAlone, Names: true, Reason: text + " puts what it prints on the page"}}
}

// firstUse adds sections to the first-use.md in dir. With the option, it also moves the file to a
// folder of its own.
func (t *tree) firstUse(dir string) []Result {
	file := path.Join(dir, "first-use.md")
	if t.stuck[dir] {
		return []Result{{Path: file, Status: LeftAlone, Reason: stuckReason}}
	}
	before := t.files[file]
	after, err := sections(file, path.Base(dir), before)
	if left, ok := errors.AsType[*LeftAloneError](err); ok && t.opt.Companion {
		left.Reason = "no companion: " + left.Reason
	}
	if err != nil || !t.opt.Companion {
		return []Result{result(file, &files.Edit{Name: file, Before: before, After: after}, err)}
	}
	companion := dir + "-first-use/SKILL.md"
	if _, ok := t.files[companion]; ok {
		return []Result{{Path: file, Status: LeftAlone, Names: true, Reason: companion + " already exists"}}
	}
	s := skill.Parse(file, before)
	for _, p := range s.Parts {
		if strings.Contains(p.Source, "CLAUDE_SKILL_DIR") {
			return []Result{{Path: file, Status: LeftAlone, Line: p.Line,
				Reason: "no companion: ${CLAUDE_SKILL_DIR} would be another folder"}}
		}
	}
	if count(s, skill.Header) == 0 {
		after = append(fmt.Appendf(nil,
			"---\nname: %[1]s-first-use\ndescription: The text of the skill %[1]s, for agents that preload it. Do not invoke it directly.\n"+
				"user-invocable: false\n---\n", path.Base(dir)), after...)
	}
	rules, err := rulesFor(s)
	if err == nil {
		after, err = allow(companion, after, rules)
	}
	if err != nil {
		return []Result{{Path: file, Status: LeftAlone, Reason: fmt.Sprintf("no companion: %v", err)}}
	}
	return []Result{
		{Path: companion, Status: Changed, Edit: &files.Edit{Name: companion, After: after}},
		{Path: file, Status: Changed, Remove: true, Edit: &files.Edit{Name: file, Before: before}},
	}
}

// sections puts the instructions, which are read once, between <skill> tags. Directives that are
// alone before or after the instructions go between <output> tags.
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
			return nil, &LeftAloneError{file, p.Line,
				"a directive is in the middle of the instructions, and would lose its place in an <output> section"}
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
		return nil, &LeftAloneError{file, 0,
			"directives are above and below the instructions, and there can be only one <output> section"}
	}
	var all []string
	for _, section := range []string{body("output", strings.TrimRight(above, " \t\n")), body("skill", text),
		body("output", strings.TrimRight(below, " \t\n"))} {
		if section != "" {
			all = append(all, section)
		}
	}
	after := header + strings.Join(all, "\n")
	is := skill.Parse(file, []byte(after))
	if found, err := is.Sections(); err != nil || text != "" && !found.Skill.Exists() ||
		count(is, skill.Directive) != count(s, skill.Directive) {
		return nil, &LeftAloneError{file, 0, "its sections would not be recognized"}
	}
	return []byte(after), nil
}

func lengthOf(parts []skill.Part) (n int) {
	for _, p := range parts {
		n += len(p.Source)
	}
	return n
}
