package doc

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// JSONAsYAML returns a JSON text as YAML nodes, so that the same code reads both kinds of files.
// line is the number of the first line. The YAML parser itself does not accept every JSON.
func JSONAsYAML(src string, line int) (*yaml.Node, *Error) {
	root, fault := ParseJSON(src)
	if fault != nil {
		return nil, fault
	}
	at := 0
	lineOf := func(offset int) int {
		line += strings.Count(src[at:offset], "\n")
		at = offset
		return line
	}
	var node func(n *Node) *yaml.Node
	node = func(n *Node) *yaml.Node {
		out := &yaml.Node{Kind: yaml.ScalarNode, Line: lineOf(n.Start), Tag: yamlTags[n.Kind()], Value: src[n.Start:n.End]}
		if text, ok := n.Text(); ok {
			out.Value = text
		}
		switch {
		case n.IsObject():
			out.Kind = yaml.MappingNode
		case n.IsList():
			out.Kind = yaml.SequenceNode
		}
		for _, item := range n.Items {
			if n.IsObject() {
				out.Content = append(out.Content, &yaml.Node{
					Kind: yaml.ScalarNode, Line: lineOf(item.KeyAt), Tag: "!!str", Value: item.Key})
			}
			out.Content = append(out.Content, node(item))
		}
		return out
	}
	return node(root), nil
}

var yamlTags = map[string]string{Text: "!!str", Number: "!!float", Bool: "!!bool", Null: "!!null"}
