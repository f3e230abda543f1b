package check

import (
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/skillhand/skillhand/internal/doc"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/internal/words"
)

// ConfigName is the file at a repository's top that says what is checked.
const ConfigName = here.ConfigName

// A Config is what the file called ConfigName says under check:.
type Config struct {
	Agents  []string
	Rules   map[string]Severity
	Exclude []string
	As      Place
}

// ParseConfig reads a configuration. It reports all faults at once, each with its line.
func ParseConfig(file string, src []byte) (Config, error) {
	said, r := here.ParseConfig(file, src)
	c := configReader{Reader: r}
	if said.Check != nil {
		c.check(said.Check)
	}
	return c.conf, c.Err()
}

type configReader struct {
	conf Config
	doc.Reader
}

func (c *configReader) check(n *yaml.Node) {
	f := c.Fields(n, "check", "agents", "rules", "exclude", "permissions")
	doc.Set(f, "agents", c.agents, &c.conf.Agents)
	doc.Set(f, "rules", c.rules, &c.conf.Rules)
	doc.Set(f, "exclude", c.TextOrTexts, &c.conf.Exclude)
	if n := f["permissions"]; n != nil {
		as := c.OneOf(string(Project), string(User), string(InPlugin))
		doc.Set(c.Fields(n, "permissions", "as"), "as", func(n *yaml.Node, what string) Place { return Place(as(n, what)) }, &c.conf.As)
	}
}

func (c *configReader) agents(n *yaml.Node, what string) []string {
	all := c.TextOrTexts(n, what)
	for _, a := range all {
		if !slices.Contains(Agents(), a) {
			c.Fault(n, "unknown agent %s, want %s", a, term.Either(Agents()))
		}
	}
	return all
}

func (c *configReader) rules(n *yaml.Node, what string) map[string]Severity {
	rules := map[string]Severity{}
	f := c.Fields(n, what)
	for _, key := range slices.Sorted(maps.Keys(f)) {
		r, value := ByName(key), f[key]
		severity := Severity(value.Value)
		if value.Value == "false" { // off, in old YAML
			severity = Off
		}
		switch {
		case r == nil:
			c.Fault(value, "unknown rule %s%s", key, words.DidYouMean(key, ruleIDs()))
		case severity.Rank() < 0:
			c.Want(value, key, "error, warning, info or off")
		default:
			rules[r.ID] = severity
		}
	}
	return rules
}

func ruleIDs() []string {
	var all []string
	for _, r := range All() {
		all = append(all, r.ID, r.Name)
	}
	return all
}
