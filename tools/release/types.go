package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
)

// A schema is a JSON Schema, with the fields that the types need.
type schema struct {
	Ref                  string            `json:"$ref"`
	Defs                 ordered           `json:"$defs"`
	Title, Description   string            // for people
	Type                 json.RawMessage   // a name, or several names
	Const                json.RawMessage   `json:"const"`
	Enum                 []json.RawMessage `json:"enum"`
	Required             []string          `json:"required"`
	Properties           ordered           `json:"properties"`
	AdditionalProperties json.RawMessage   `json:"additionalProperties"`
	Items                *schema           `json:"items"`
	AnyOf, OneOf, AllOf  []*schema         // the ways to be valid
}

// An ordered holds an object's members in the order in which they are written.
type ordered []member

type member struct {
	Name   string
	Schema *schema
}

// UnmarshalJSON decodes an object and keeps the order of its members.
func (o *ordered) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(strings.NewReader(string(data)))
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		m := member{Name: name.(string)}
		if err := dec.Decode(&m.Schema); err != nil {
			return err
		}
		*o = append(*o, m)
	}
	return nil
}

// UnmarshalJSON also accepts true, which allows everything.
func (s *schema) UnmarshalJSON(data []byte) error {
	if string(data) == "true" {
		return nil
	}
	type plain schema
	return json.Unmarshal(data, (*plain)(s))
}

// types returns the TypeScript types of all documents that the schemas describe.
func types(schemas fs.FS) (string, error) {
	files, err := fs.Glob(schemas, "*.schema.json")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, file := range files {
		data, err := fs.ReadFile(schemas, file)
		if err != nil {
			return "", err
		}
		var s schema
		if err := json.Unmarshal(data, &s); err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		name, _, _ := strings.Cut(path.Base(file), "-v")
		w := typeWriter{document: pascal(name) + "Document"}
		w.declare(&b, w.document, s.Title, &s)
		for _, def := range s.Defs {
			w.declare(&b, w.document+pascal(def.Name), def.Schema.Description, def.Schema)
		}
	}
	return b.String(), nil
}

// pascal turns skill-output and retry_after into SkillOutput and RetryAfter.
func pascal(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, word := range words {
		words[i] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

// A typeWriter writes the types of one document.
type typeWriter struct{ document string }

func (w typeWriter) declare(b *strings.Builder, name, about string, s *schema) {
	fmt.Fprintf(b, "\n%sexport type %s = %s;\n", comment(about, ""), name, w.of(s, ""))
}

func comment(about, indent string) string {
	if about == "" {
		return ""
	}
	return indent + "/** " + strings.ReplaceAll(about, "*/", "*\\/") + " */\n"
}

// of returns the type of the values that s allows. A value must satisfy everything that the schema
// says.
func (w typeWriter) of(s *schema, indent string) string {
	if s == nil {
		return "unknown"
	}
	var parts []string
	if s.Ref != "" {
		parts = append(parts, w.named(s.Ref))
	}
	switch {
	case s.Const != nil:
		parts = append(parts, string(s.Const))
	case s.Enum != nil:
		parts = append(parts, union(s.Enum, func(v json.RawMessage) string { return string(v) }))
	case s.Properties != nil || s.Type != nil:
		parts = append(parts, w.typed(s, indent))
	}
	for _, some := range [][]*schema{s.AnyOf, s.OneOf} {
		if ways := union(some, func(way *schema) string { return w.of(way, indent) }); ways != "" && !strings.Contains(ways, "unknown") {
			parts = append(parts, ways)
		}
	}
	for _, also := range s.AllOf {
		if text := w.of(also, indent); text != "unknown" {
			parts = append(parts, text)
		}
	}
	switch len(parts) {
	case 0:
		return "unknown"
	case 1:
		return parts[0]
	}
	for i, part := range parts {
		if strings.Contains(part, " | ") {
			parts[i] = "(" + part + ")"
		}
	}
	return strings.Join(parts, " & ")
}

// named returns the type that a reference names: a definition, or a property of a definition.
func (w typeWriter) named(ref string) string {
	steps := strings.Split(strings.TrimPrefix(ref, "#/$defs/"), "/")
	name := w.document + pascal(steps[0])
	for i := 2; i < len(steps); i += 2 { // after "properties"
		name += fmt.Sprintf("[%q]", steps[i])
	}
	return name
}

func union[T any](list []T, text func(T) string) string {
	var all []string
	for _, v := range list {
		if s := text(v); !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return strings.Join(all, " | ")
}

// typed returns the type of a schema that names its type or has properties.
func (w typeWriter) typed(s *schema, indent string) string {
	var names []string
	if s.Type == nil {
		names = []string{"object"}
	} else if json.Unmarshal(s.Type, &names) != nil {
		var one string
		_ = json.Unmarshal(s.Type, &one) // the schemas' own test finds a schema that is neither
		names = []string{one}
	}
	return union(names, func(name string) string {
		switch name {
		case "integer":
			return "number"
		case "array":
			item := w.of(s.Items, indent)
			if strings.ContainsAny(item, "|&") {
				item = "(" + item + ")"
			}
			return item + "[]"
		case "object":
			return w.object(s, indent)
		}
		return name
	})
}

func (w typeWriter) object(s *schema, indent string) string {
	if len(s.Properties) == 0 {
		value := "unknown"
		var also schema
		if len(s.AdditionalProperties) > 0 && s.AdditionalProperties[0] == '{' && json.Unmarshal(s.AdditionalProperties, &also) == nil {
			value = w.of(&also, indent)
		}
		return "Record<string, " + value + ">"
	}
	var b strings.Builder
	b.WriteString("{\n")
	inner := indent + "  "
	for _, p := range s.Properties {
		optional := "?"
		if slices.Contains(s.Required, p.Name) {
			optional = ""
		}
		fmt.Fprintf(&b, "%s%s%q%s: %s;\n", comment(p.Schema.Description, inner), inner, p.Name, optional, w.of(p.Schema, inner))
	}
	return b.String() + indent + "}"
}
