package check

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/skillhand/skillhand/internal/doc"
	"github.com/skillhand/skillhand/internal/term"
	"github.com/skillhand/skillhand/internal/words"
)

// ConfigName is the file at a repository's top that says what is checked.
const ConfigName = doc.ConfigName

// A Config is what the file called ConfigName says under check:.
type Config struct {
	Agents  []string
	Rules   map[string]Severity
	Exclude []string
	As      Place
}

// ParseConfig reads a configuration. It reports all faults at once, each with its line.
func ParseConfig(file string, src []byte) (Config, error) {
	said, err := doc.ParseConfig(file, src)
	if said.Check == nil {
		return Config{}, err
	}
	c := configReader{Reader: doc.Reader{File: file}}
	c.Add(err)
	c.check(said.Check)
	return c.conf, c.Err()
}

type configReader struct {
	conf Config
	doc.Reader
}

func (c *configReader) check(n *yaml.Node) {
	c.Fields(n, map[string]func(*yaml.Node){
		"agents":      c.agents,
		"rules":       c.rules,
		"exclude":     func(n *yaml.Node) { c.conf.Exclude = c.List(n) },
		"permissions": func(n *yaml.Node) { c.Fields(n, map[string]func(*yaml.Node){"as": c.as}) },
	})
}

func (c *configReader) agents(n *yaml.Node) {
	c.conf.Agents = c.List(n)
	for _, a := range c.conf.Agents {
		if !slices.Contains(Agents(), a) {
			c.Fault(n, "unknown agent %s, want %s", a, term.Either(Agents()))
		}
	}
}

func (c *configReader) rules(n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		c.Fault(n, "rules: want a rule and its severity, such as SK308: off")
		return
	}
	c.conf.Rules = map[string]Severity{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		r := ByName(key.Value)
		severity := Severity(value.Value)
		if value.Value == "false" { // off, in old YAML
			severity = Off
		}
		switch {
		case r == nil:
			c.Fault(key, "unknown rule %s%s", key.Value, words.DidYouMean(key.Value, ruleIDs()))
		case severity.Rank() < 0:
			c.Fault(value, "%s is %q, want error, warning, info or off", key.Value, value.Value)
		default:
			c.conf.Rules[r.ID] = severity
		}
	}
}

func ruleIDs() []string {
	var all []string
	for _, r := range All() {
		all = append(all, r.ID, r.Name)
	}
	return all
}

func (c *configReader) as(n *yaml.Node) {
	c.conf.As = Place(n.Value)
	if !slices.Contains([]Place{Project, User, InPlugin}, c.conf.As) {
		c.Fault(n, "as is %q, want project, user or plugin", n.Value)
	}
}
