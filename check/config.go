package check

import (
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// ConfigName is the file at a repository's top that says what is checked.
const ConfigName = ".skillhand.yaml"

// A Config is what the file called ConfigName says under check:.
type Config struct {
	Agents  []string
	Rules   map[string]Severity
	Exclude []string
	As      Place
}

// ParseConfig reads a configuration. All its faults are told at once, each with its line.
func ParseConfig(file string, src []byte) (Config, error) {
	c := configReader{file: file}
	var doc yaml.Node
	if err := yaml.Unmarshal(src, &doc); err != nil {
		return c.Config, fmt.Errorf("%s: %w", file, err)
	}
	if len(doc.Content) == 0 {
		return c.Config, nil
	}
	c.fields(doc.Content[0], map[string]func(*yaml.Node){"check": c.check})
	return c.Config, errors.Join(c.faults...)
}

type configReader struct {
	Config
	file   string
	faults []error
}

func (c *configReader) fault(n *yaml.Node, format string, a ...any) {
	c.faults = append(c.faults, fmt.Errorf("%s:%d: %s", c.file, n.Line, fmt.Sprintf(format, a...)))
}

// fields reads a mapping with known keys.
func (c *configReader) fields(n *yaml.Node, known map[string]func(*yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		if n.Tag != "!!null" {
			c.fault(n, "want key: value")
		}
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if read := known[n.Content[i].Value]; read != nil {
			read(n.Content[i+1])
		} else {
			c.fault(n.Content[i], "unknown key %s", n.Content[i].Value)
		}
	}
}

func (c *configReader) check(n *yaml.Node) {
	c.fields(n, map[string]func(*yaml.Node){
		"agents":      c.agents,
		"rules":       c.rules,
		"exclude":     func(n *yaml.Node) { c.Exclude = c.list(n) },
		"permissions": func(n *yaml.Node) { c.fields(n, map[string]func(*yaml.Node){"as": c.as}) },
	})
}

func (c *configReader) agents(n *yaml.Node) {
	c.Agents = c.list(n)
	for _, a := range c.Agents {
		if !slices.Contains(Agents(), a) {
			c.fault(n, "unknown agent %s, want %v", a, Agents())
		}
	}
}

func (c *configReader) rules(n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		c.fault(n, "rules: want a rule and its severity, such as SK308: off")
		return
	}
	c.Rules = map[string]Severity{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		r := ByName(key.Value)
		severity := Severity(value.Value)
		if value.Value == "false" { // off, in old YAML
			severity = Off
		}
		switch {
		case r == nil:
			c.fault(key, "unknown rule %s", key.Value)
		case severity.Rank() < 0:
			c.fault(value, "%s is %q, want error, warning, info or off", key.Value, value.Value)
		default:
			c.Rules[r.ID] = severity
		}
	}
}

func (c *configReader) as(n *yaml.Node) {
	c.As = Place(n.Value)
	if !slices.Contains([]Place{Project, User, InPlugin}, c.As) {
		c.fault(n, "as is %q, want project, user or plugin", n.Value)
	}
}

func (c *configReader) list(n *yaml.Node) []string {
	var all []string
	if n.Kind == yaml.ScalarNode {
		return []string{n.Value}
	}
	for _, item := range n.Content {
		all = append(all, item.Value)
	}
	return all
}
