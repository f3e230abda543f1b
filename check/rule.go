package check

import (
	"embed"
	"strings"
	"sync"
)

// A Rule is one thing that can be wrong.
type Rule struct {
	ID       string
	Name     string
	Severity Severity // unless a finding says otherwise
	Off      bool     // only run if asked for
	Summary  string   // what it proves, in a line

	kinds    []Kind // the files it is about; none means skills and commands
	agent    audience
	template bool // also about what is filled in before an agent reads it
	load     bool // also about a text that skillhand load renders, and Claude Code does not
	dialect  bool // only for those who ask about our own dialect
	run      func(*pass)
	together func(*whole)
}

// An audience says for which agents a rule holds.
type audience int

const (
	everyone audience = iota
	claude            // directives and their permissions are Claude Code's alone
	spec              // what the Agent Skills specification says
	others            // what each of the other agents was recorded to do
)

//go:embed doc/*.md
var docs embed.FS

// Doc explains the rule, in Markdown: what happens, why, and what to do.
func (r *Rule) Doc() string {
	text, err := docs.ReadFile("doc/" + r.ID + ".md")
	if err != nil {
		return "# " + r.ID + " " + r.Name + "\n\n" + r.Summary + ".\n"
	}
	return string(text)
}

// A RuleDocument is a rule as JSON. It is described by schemas/explain-v1.schema.json.
type RuleDocument struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Severity Severity `json:"severity"` // off if it must be asked for
	Summary  string   `json:"summary"`
	Doc      string   `json:"doc"` // Markdown
	Docs     string   `json:"docs"`
}

// Document returns the rule, to be printed as JSON.
func (r *Rule) Document() RuleDocument {
	severity := (&Options{}).severity(r)
	return RuleDocument{ID: r.ID, Name: r.Name, Severity: severity, Summary: r.Summary, Doc: r.Doc(), Docs: r.Link()}
}

// Link returns where the rule is explained.
func (r *Rule) Link() string {
	return "https://github.com/skillhand/skillhand/blob/main/check/doc/" + r.ID + ".md"
}

// All lists the rules, by their numbers.
func All() []*Rule { return rules() }

var rules = sync.OnceValue(func() []*Rule {
	all := basicRules()
	for _, family := range [][]*Rule{
		frontmatterRules(), toolRules(), referenceRules(), scriptRules(), shellRules(), permissionRules(), budgetRules(), pluginRules(),
		evalRules(), doneRules(), securityRules(), dialectRules(), loadRules(), agentRules(),
	} {
		all = append(all, family...)
	}
	return all
})

// ByName finds a rule by its number or name.
func ByName(name string) *Rule {
	for _, r := range All() {
		if strings.EqualFold(r.ID, name) || strings.EqualFold(r.Name, name) {
			return r
		}
	}
	return nil
}

func (r *Rule) isFor(d *document) bool {
	if d.template && !r.template {
		return false
	}
	if len(r.kinds) == 0 {
		return d.file.Kind == Skill || d.file.Kind == Command || d.file.Kind == Text || d.file.Kind == FirstUse && r.load
	}
	for _, k := range r.kinds {
		if k == d.file.Kind {
			return true
		}
	}
	return false
}
