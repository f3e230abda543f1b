package claude

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"strings"
)

// checkCircles refuses a schema that would be applied to the same value for
// ever, such as {"$ref": "#"}: the validator would never come back from it.
func checkCircles(text json.RawMessage) error {
	var root any
	if err := json.Unmarshal(text, &root); err != nil {
		return err
	}
	c := &circles{root: root, anchors: map[string]any{}, state: map[uintptr]int{}}
	if err := c.walk(root, c.anchor); err != nil {
		return err
	}
	return c.walk(root, c.visit)
}

type circles struct {
	root    any
	anchors map[string]any
	state   map[uintptr]int // of an object: visiting, then visited
}

const (
	visiting = iota + 1
	visited
)

// walk calls f for every object of a document.
func (c *circles) walk(node any, f func(map[string]any) error) error {
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			if err := c.walk(child, f); err != nil {
				return err
			}
		}
	case map[string]any:
		if err := f(node); err != nil {
			return err
		}
		for _, child := range node {
			if err := c.walk(child, f); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *circles) anchor(node map[string]any) error {
	if name, ok := node["$anchor"].(string); ok {
		c.anchors[name] = node
	}
	if _, ok := node["$dynamicRef"]; ok {
		return errors.New("$dynamicRef is not supported")
	}
	return nil
}

// visit follows, depth first, whatever is applied to the same value.
func (c *circles) visit(node map[string]any) error {
	id := reflect.ValueOf(node).Pointer()
	switch c.state[id] {
	case visiting:
		if ref, ok := node["$ref"].(string); ok {
			return fmt.Errorf("$ref %s: refers to itself", ref)
		}
		return errors.New("refers to itself endlessly")
	case visited:
		return nil
	}
	c.state[id] = visiting
	for name, value := range node {
		targets := []any{}
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
			target, err := c.resolve(ref)
			if err != nil {
				return err
			}
			targets = append(targets, target)
		}
		for _, t := range targets {
			if m, ok := t.(map[string]any); ok {
				if err := c.visit(m); err != nil {
					return err
				}
			}
		}
	}
	c.state[id] = visited
	return nil
}

// resolve finds what a reference within the document means.
func (c *circles) resolve(ref string) (any, error) {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, fmt.Errorf("$ref %s: only references within the document, #/…, are supported", ref)
	}
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return nil, fmt.Errorf("$ref %s: %w", ref, err)
	}
	if fragment != "" && fragment[0] != '/' {
		return c.anchors[fragment], nil
	}
	node := c.root
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
	return node, nil // of what is not there the validator says so
}

func element(list []any, name string) any {
	i, err := strconv.Atoi(name)
	if err != nil || i < 0 || i >= len(list) {
		return nil
	}
	return list[i]
}
