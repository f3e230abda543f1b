package lsp

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/skillhand/skillhand/schemas"
)

// A frontField is a field of the frontmatter, as the schema for editors describes it.
type frontField struct {
	Description string       `json:"description"`
	Enum        []string     `json:"enum"`
	Type        any          `json:"type"`
	OneOf       []frontField `json:"oneOf"`
}

// frontFields reads the schema when it is first needed.
var frontFields = sync.OnceValues(func() (map[string]frontField, error) {
	data, err := schemas.Files.ReadFile("skill-frontmatter-v1.schema.json")
	if err != nil {
		return nil, err
	}
	var schema struct {
		Properties map[string]frontField `json:"properties"`
	}
	err = json.Unmarshal(data, &schema)
	return schema.Properties, err
})

// values returns the values that a field may have, if the schema lists them.
func (f frontField) values() []string {
	all := f.Enum
	for _, one := range f.OneOf {
		all = append(all, one.Enum...)
	}
	if f.Type == "boolean" {
		all = append(all, "true", "false")
	}
	return all
}

const (
	kindField = 5
	kindValue = 12
)

// completion offers the fields of the frontmatter, or the values of the field on this line.
func (l *server) completion(_ context.Context, p positionParams) ([]completionItem, error) {
	items := []completionItem{}
	t := l.document(p.TextDocument.URI)
	if t == nil || !strings.HasSuffix(t.path, ".md") {
		return items, nil
	}
	line, in := frontLine(t.src, t.offset(p.Position))
	if !in {
		return items, nil
	}
	fields, err := frontFields()
	if err != nil {
		return items, err
	}
	key, _, after := strings.Cut(line, ":")
	if after {
		for _, v := range fields[strings.TrimSpace(key)].values() {
			items = append(items, completionItem{Label: v, Kind: kindValue})
		}
		return items, nil
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !strings.Contains("\n"+t.src, "\n"+name+":") {
			items = append(items, completionItem{
				Label: name, Kind: kindField, Documentation: fields[name].Description, InsertText: name + ": "})
		}
	}
	return items, nil
}

// frontLine returns the text before the cursor on its line, and whether the cursor is in the
// frontmatter. The frontmatter need not be closed yet.
func frontLine(src string, at int) (line string, in bool) {
	if !strings.HasPrefix(src, "---\n") && !strings.HasPrefix(src, "---\r\n") {
		return "", false
	}
	before := src[:at]
	if at < 4 || strings.Contains(before[3:], "\n---") {
		return "", false
	}
	return before[strings.LastIndexByte(before, '\n')+1:], true
}
