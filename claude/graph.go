package claude

import (
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"strings"
)

// A schemaGraph records which parts of a schema apply to which parts of an answer.
type schemaGraph struct {
	root    map[string]any
	anchors map[string]any
	state   map[uintptr]int // of each object: visiting, then visited
}

const (
	visiting = iota + 1
	visited
)

// maxSteps limits how often the validator applies a part of a schema to a part of an answer. The
// validator makes about a million steps a second.
const maxSteps = 10_000_000

// newSchemaGraph rejects a schema that the validator would apply to one value forever, such as
// {"$ref": "#"}, or more often than it can in reasonable time.
func newSchemaGraph(root map[string]any) (*schemaGraph, error) {
	g := &schemaGraph{root: root, anchors: map[string]any{}, state: map[uintptr]int{}}
	if err := g.walk(root, g.anchor); err != nil {
		return nil, err
	}
	if err := g.walk(root, g.visit); err != nil {
		return nil, err
	}
	if !g.isBounded(nil) {
		return nil, fmt.Errorf("takes more than %d steps to check any answer", maxSteps)
	}
	return g, nil
}

// walk calls f for every object of a document.
func (g *schemaGraph) walk(node any, f func(map[string]any) error) error {
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			if err := g.walk(child, f); err != nil {
				return err
			}
		}
	case map[string]any:
		if err := f(node); err != nil {
			return err
		}
		for _, child := range node {
			if err := g.walk(child, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// anchor records the name of a part.
func (g *schemaGraph) anchor(node map[string]any) error {
	if name, ok := node["$anchor"].(string); ok {
		g.anchors[name] = node
	}
	if _, ok := node["$dynamicRef"]; ok {
		return errors.New("$dynamicRef is not supported")
	}
	return nil
}

// visit follows the parts that apply to the same value, depth first.
func (g *schemaGraph) visit(node map[string]any) error {
	id := reflect.ValueOf(node).Pointer()
	switch g.state[id] {
	case visiting:
		if ref, ok := node["$ref"].(string); ok {
			return fmt.Errorf("$ref %s: refers to itself", ref)
		}
		return errors.New("refers to itself endlessly")
	case visited:
		return nil
	}
	g.state[id] = visiting
	targets, err := g.sameValue(node)
	if err != nil {
		return err
	}
	for _, t := range targets {
		if m, ok := t.(map[string]any); ok {
			if err := g.visit(m); err != nil {
				return err
			}
		}
	}
	g.state[id] = visited
	return nil
}

// sameValue returns the parts of the schema that apply to the same value as node.
func (g *schemaGraph) sameValue(node map[string]any) (targets []any, err error) {
	for name, value := range node {
		switch name {
		case "not", "if", "then", "else":
			targets = append(targets, value)
		case "allOf", "anyOf", "oneOf":
			list, _ := value.([]any)
			targets = append(targets, list...)
		case "dependentSchemas", "dependencies":
			fields, _ := value.(map[string]any)
			for _, v := range fields {
				targets = append(targets, v)
			}
		case "$ref":
			ref, ok := value.(string)
			if !ok {
				continue // a property of that name
			}
			target, err := g.resolve(ref)
			if err != nil {
				return nil, err
			}
			targets = append(targets, target)
		}
	}
	return targets, nil
}

// resolve returns the part that a reference within the document names.
func (g *schemaGraph) resolve(ref string) (any, error) {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, fmt.Errorf("$ref %s: only references within the document, #/…, are supported", ref)
	}
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return nil, fmt.Errorf("$ref %s: %w", ref, err)
	}
	if fragment != "" && fragment[0] != '/' {
		return g.anchors[fragment], nil
	}
	var node any = g.root
	for i, name := range strings.Split(fragment, "/") {
		if i == 0 {
			continue
		}
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		switch n := node.(type) {
		case map[string]any:
			node = n[name]
		case []any:
			node = element(n, name)
		default:
			node = nil
		}
	}
	return node, nil // the validator reports parts that do not exist
}

func element(list []any, name string) any {
	i, err := strconv.Atoi(name)
	if err != nil || i < 0 || i >= len(list) {
		return nil
	}
	return list[i]
}

// isBounded reports whether the validator makes at most maxSteps for a value. It counts the steps
// without making them. Each part of the schema counts once for each part of the value.
func (g *schemaGraph) isBounded(value any) bool {
	c := &stepCounter{graph: g, known: map[[2]uintptr]int{}}
	return c.count(g.root, value) <= maxSteps && c.work <= maxSteps
}

type stepCounter struct {
	graph *schemaGraph
	known map[[2]uintptr]int // steps of a part of the schema with a part of the value
	work  int
}

// count returns an upper bound for the steps that a value takes, or more than maxSteps.
func (c *stepCounter) count(schema, value any) int {
	node, ok := schema.(map[string]any)
	if c.work++; !ok || c.work > maxSteps {
		return 1
	}
	key := [2]uintptr{reflect.ValueOf(node).Pointer(), identity(value)}
	if steps, ok := c.known[key]; ok {
		return steps
	}
	steps := 1
	add := func(schema, value any) {
		if schema != nil && steps <= maxSteps {
			steps += c.count(schema, value)
		}
	}
	targets, _ := c.graph.sameValue(node) // its error was returned when the schema was read
	for _, target := range targets {
		add(target, value)
	}
	switch value := value.(type) {
	case map[string]any:
		properties, _ := node["properties"].(map[string]any)
		patterns, _ := node["patternProperties"].(map[string]any)
		for name, child := range value {
			add(properties[name], child)
			for _, schema := range patterns {
				add(schema, child)
			}
			add(node["additionalProperties"], child)
			add(node["unevaluatedProperties"], child)
			add(node["propertyNames"], name)
		}
	case []any:
		for i, child := range value {
			for _, keyword := range []string{"items", "prefixItems", "additionalItems", "contains", "unevaluatedItems"} {
				if list, ok := node[keyword].([]any); ok && i < len(list) {
					add(list[i], child)
				} else {
					add(node[keyword], child)
				}
			}
		}
	}
	steps = min(steps, maxSteps+1)
	c.known[key] = steps
	return steps
}

// identity tells objects and arrays apart. All other values take the same steps.
func identity(value any) uintptr {
	switch value.(type) {
	case map[string]any, []any:
		return reflect.ValueOf(value).Pointer()
	}
	return 0
}
