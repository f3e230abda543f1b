package migrate

import (
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/words"
	"github.com/skillhand/skillhand/permit"
	"github.com/skillhand/skillhand/skill"
)

// loadRule lets Claude Code run the block that calls skillhand's loader.
const loadRule = "Bash(skillhand load:*)"

// loader replaces an older loader with skillhand's. If a directive of a SKILL.md calls a loader
// script on its own skill, the block that skillhand init writes replaces it, with its rule.
func (t *tree) loader(file string) []Result {
	dir := path.Dir(file)
	name := path.Base(dir)
	s := skill.Parse(file, t.files[file])
	i := slices.IndexFunc(s.Parts, func(p skill.Part) bool { return callsLoader(p, name) })
	if i < 0 {
		return nil
	}
	if t.stuck[dir] {
		return []Result{{Path: file, Status: LeftAlone, Line: s.Parts[i].Line, Reason: stuckReason}}
	}
	if t.text(dir) == file {
		return []Result{{Path: file, Status: LeftAlone, Line: s.Parts[i].Line,
			Reason: "it calls a loader, and there is no other text of the skill to load"}}
	}
	var out strings.Builder
	for k, p := range s.Parts {
		switch {
		case k != i:
			out.WriteString(p.Source)
		case !p.Alone:
			return []Result{{Path: file, Status: LeftAlone, Line: p.Line,
				Reason: "it calls a loader within a line, where a block cannot stand"}}
		default:
			out.WriteString(loadBlock(name, strings.Contains(p.Source, "CLAUDE_PLUGIN_ROOT"), t.files[file]))
			if strings.HasSuffix(p.Source, "\n") {
				out.WriteByte('\n')
			}
		}
	}
	after, err := allow(file, []byte(out.String()), []string{loadRule})
	if err != nil {
		return []Result{{Path: file, Status: LeftAlone, Line: s.Parts[i].Line, Reason: err.Error()}}
	}
	e := &files.Edit{Name: file, Before: t.files[file], After: after}
	t.files[file] = after
	return []Result{{Path: file, Status: Changed, Edit: e}}
}

// loadBlock returns the directive that calls skillhand's loader, as skillhand init skill --launcher
// writes it. The word that ends the arguments depends on the file alone, so that the same file
// gives the same block.
func loadBlock(name string, plugin bool, src []byte) string {
	end := fmt.Sprintf("END_OF_ARGUMENTS_%x", sha256.Sum256(src))[:len("END_OF_ARGUMENTS_")+12]
	root := ""
	if plugin {
		root = ` --plugin-root "${CLAUDE_PLUGIN_ROOT}"`
	}
	return fmt.Sprintf("```!\nskillhand load %s%s --session \"${CLAUDE_SESSION_ID}\" --args - <<'%s'\n$ARGUMENTS\n%[3]s\n```",
		name, root, end)
}

// callsLoader reports whether a part is a directive that calls a loader of skills, other than
// skillhand's, on the skill of this name.
func callsLoader(p skill.Part, name string) bool {
	if p.Kind != skill.Directive {
		return false
	}
	var command strings.Builder
	for _, c := range p.Command {
		command.WriteString(c.Source)
	}
	file, err := words.Parse(command.String())
	if err != nil || len(file.Stmts) != 1 {
		return false
	}
	call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) < 2 {
		return false
	}
	program := strings.ToLower(path.Base(tail(call.Args[0])))
	if !strings.Contains(program, "load") || !strings.Contains(program, "skill") || program == "skillhand" {
		return false
	}
	return slices.ContainsFunc(call.Args[1:], func(w *syntax.Word) bool { return literal(w) == name })
}

// rulesFor returns the rules that Claude Code needs to run the directives of a text.
func rulesFor(s *skill.Skill) (rules []string, err error) {
	for _, p := range s.Parts {
		if p.Kind != skill.Directive {
			continue
		}
		var command strings.Builder
		for _, c := range p.Command {
			command.WriteString(c.Source)
		}
		v := permit.Decide(permit.Request{Command: command.String(), Allow: rules, SkillDir: "/plugin/skills/skill", PluginRoot: "/plugin"})
		switch {
		case v.Decision == permit.Allow:
		case v.Suggest != nil && len(v.Suggest.Rules) > 0:
			rules = append(rules, v.Suggest.Rules...)
		default:
			return nil, fmt.Errorf("line %d: Claude Code would not run the directive, whatever allowed-tools says: %s", p.Line, v.Reason)
		}
	}
	return rules, nil
}

// allow adds rules to the allowed-tools of a text's frontmatter, in the form that the field already
// has.
func allow(file string, src []byte, rules []string) ([]byte, error) {
	s := skill.Parse(file, src)
	had := ruleTexts(s)
	rules = slices.DeleteFunc(slices.Clone(rules), func(r string) bool { return slices.Contains(had, r) || slices.Contains(had, "Bash") })
	if len(rules) == 0 {
		return src, nil
	}
	want := slices.Concat(had, rules)
	for _, after := range withRules(string(src), s, rules) {
		if is := skill.Parse(file, []byte(after)); slices.Equal(ruleTexts(is), want) && len(is.Notes) <= len(s.Notes) {
			return []byte(after), nil
		}
	}
	return nil, fmt.Errorf("its frontmatter has no place for allowed-tools: %s", strings.Join(rules, ", "))
}

// ruleTexts returns the rules of a skill's allowed-tools, as written.
func ruleTexts(s *skill.Skill) (texts []string) {
	for _, list := range s.Front.AllowedTools {
		for _, r := range permit.ParseRules(list) {
			texts = append(texts, r.Text)
		}
	}
	return texts
}

// withRules returns the ways to write a text with more rules, the plainest first.
func withRules(src string, s *skill.Skill, rules []string) []string {
	list := strings.Join(rules, ", ")
	quoted := "'" + strings.ReplaceAll(list, "'", "''") + "'"
	insert := func(at int, texts ...string) (ways []string) {
		for _, text := range texts {
			ways = append(ways, src[:at]+text+src[at:])
		}
		return ways
	}
	field, there := s.Front.Field("allowed-tools")
	switch {
	case len(s.Parts) == 0 || s.Parts[0].Kind != skill.Header:
		return insert(0, "---\nallowed-tools: "+list+"\n---\n", "---\nallowed-tools: "+quoted+"\n---\n")
	case !there:
		end := strings.LastIndex(s.Parts[0].Source, "---")
		return insert(end, "allowed-tools: "+list+"\n", "allowed-tools: "+quoted+"\n")
	case field.Raw == "":
		return insert(field.End+1, " "+list, " "+quoted)
	case strings.HasPrefix(field.Raw, "["):
		return insert(field.ValueEnd-1, ", '"+strings.Join(rules, "', '")+"'", "'"+strings.Join(rules, "', '")+"'")
	case len(field.Fields) > 0:
		last := field.Fields[len(field.Fields)-1]
		line := strings.LastIndexByte(src[:last.ValueOffset], '\n') + 1
		lead := "\n" + src[line:line+strings.IndexByte(src[line:], '-')] + "- "
		return insert(last.ValueEnd, lead+strings.Join(rules, lead), lead+"'"+strings.Join(rules, "'"+lead+"'")+"'")
	case strings.HasPrefix(field.Raw, "'"), strings.HasPrefix(field.Raw, `"`):
		return insert(field.ValueEnd-1, ", "+list)
	}
	whole := "'" + strings.ReplaceAll(field.Value+", "+list, "'", "''") + "'"
	return append(insert(field.ValueEnd, ", "+list), src[:field.ValueOffset]+whole+src[field.ValueEnd:])
}
