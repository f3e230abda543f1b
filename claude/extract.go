package claude

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// A schema is what an answer must fit. nil fits any.
type schema struct {
	argument string // as the CLI gets it
	resolved *jsonschema.Resolved
}

// maxArgument is what Linux takes as one argument.
const maxArgument = 128<<10 - 1

func newSchema(text json.RawMessage) (*schema, error) {
	if text == nil {
		return nil, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil || fields == nil {
		return nil, &RequestError{Field: "schema", Fault: "not a JSON object"}
	}
	if err := checkKeywords(text); err != nil {
		return nil, &RequestError{Field: "schema", Fault: err.Error()}
	}
	// The validator knows two drafts by name and refuses to judge by any other; the words are the same.
	delete(fields, "$schema")
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, &RequestError{Field: "schema", Fault: err.Error()}
	}
	var parsed jsonschema.Schema
	if err := json.Unmarshal(text, &parsed); err != nil {
		return nil, &RequestError{Field: "schema", Fault: err.Error()}
	}
	resolved, err := parsed.Resolve(nil)
	if err != nil {
		return nil, &RequestError{Field: "schema", Fault: err.Error()}
	}
	if err := checkCircles(text); err != nil {
		return nil, &RequestError{Field: "schema", Fault: err.Error()}
	}
	// The CLI knows no drafts by name but its own, and refuses a schema that names one.
	var argument bytes.Buffer
	enc := json.NewEncoder(&argument)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(fields); err != nil {
		return nil, &RequestError{Field: "schema", Fault: err.Error()}
	}
	s := &schema{argument: strings.TrimSpace(argument.String()), resolved: resolved}
	if len(s.argument) > maxArgument {
		return nil, &RequestError{Field: "schema", Fault: fmt.Sprintf("too large: %d bytes, more than the %d of one argument", len(s.argument), maxArgument)}
	}
	return s, nil
}

// fits says what is wrong with a value.
func (s *schema) fits(value json.RawMessage) error {
	if s == nil {
		return nil
	}
	var v any
	if err := json.Unmarshal(value, &v); err != nil {
		return err
	}
	return s.resolved.Validate(v)
}

// find returns the JSON of a result: the first there is, with a schema the first
// that fits. Without a schema there need not be any.
func (s *schema) find(res *result) (json.RawMessage, error) {
	var misfit error
	for value := range candidates(res) {
		err := s.fits(value)
		if err == nil {
			return value, nil
		}
		if misfit == nil {
			misfit = err
		}
	}
	if s != nil && misfit == nil {
		misfit = errors.New("it contains no JSON")
	}
	return nil, misfit
}

// ExtractJSON returns the JSON in an answer: the first fenced block marked json or
// jsonc that parses, else the first without a mark, else all of it.
func ExtractJSON(answer string) (json.RawMessage, bool) {
	for value := range candidates(&result{Text: answer}) {
		return value, true
	}
	return nil, false
}

// candidates yields what could be the JSON of a result, the most certain first.
func candidates(res *result) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		if len(res.Structured) > 0 && string(res.Structured) != "null" && !yield(res.Structured) {
			return
		}
		for _, infos := range [][]string{{"json", "jsonc"}, {""}} {
			for block := range fences(res.Text, infos) {
				if value, ok := asJSON(block); ok && !yield(value) {
					return
				}
			}
		}
		if value, ok := asJSON(strings.TrimPrefix(res.Text, "\ufeff")); ok {
			yield(value)
		}
	}
}

// asJSON returns a text as the JSON that it is. A text that does not begin like
// one is not copied: it may be long.
func asJSON(text string) (json.RawMessage, bool) {
	text = strings.TrimSpace(text)
	if text == "" || !strings.ContainsRune(`{["-0123456789tfn`, rune(text[0])) || strings.ContainsRune("tfn", rune(text[0])) && len(text) > len("false") {
		return nil, false
	}
	value := json.RawMessage(text)
	return value, json.Valid(value)
}

// fences yields the content of each fenced block with one of these info strings.
func fences(text string, infos []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(text) > 0 {
			var line string
			line, text = cutLine(text)
			mark, info := fence(line)
			if mark == "" || mark[0] == '`' && strings.Contains(info, "`") {
				continue
			}
			var block string
			block, text = untilFence(text, mark)
			if slices.Contains(infos, strings.ToLower(info)) && !yield(block) {
				return
			}
		}
	}
}

func cutLine(text string) (line, rest string) {
	line, rest, _ = strings.Cut(text, "\n")
	return line, rest
}

// fence takes a line apart that opens or closes a block: three or more of ` or ~,
// then the info string. mark is "" if it is none.
func fence(line string) (mark, info string) {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "~~~") {
		return "", ""
	}
	rest := strings.TrimLeft(line, line[:1])
	return line[:len(line)-len(rest)], strings.TrimSpace(rest)
}

// untilFence returns what lies before the fence that closes a block, or all.
func untilFence(text, mark string) (block, rest string) {
	for rest = text; len(rest) > 0; {
		at := len(text) - len(rest)
		var line string
		line, rest = cutLine(rest)
		if closing, info := fence(line); strings.HasPrefix(closing, mark) && info == "" {
			return text[:at], rest
		}
	}
	return text, ""
}

// checkKeywords refuses what the validator would let pass and no answer could
// meet: a type that does not exist, a length below nothing.
func checkKeywords(text json.RawMessage) error {
	var doc any
	if err := json.Unmarshal(text, &doc); err != nil {
		return err
	}
	return checkKeywordsIn(doc, "")
}

var (
	schemaTypes = map[string]bool{"string": true, "number": true, "integer": true, "object": true, "array": true, "boolean": true, "null": true}
	inObjects   = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
	inLists     = []string{"allOf", "anyOf", "oneOf", "prefixItems", "items"}
	inFields    = []string{"items", "additionalItems", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else",
		"unevaluatedItems", "unevaluatedProperties"}
	counts = []string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"}
)

func checkKeywordsIn(doc any, at string) error {
	schema, ok := doc.(map[string]any)
	if !ok {
		return nil // true and false are schemas too
	}
	types, _ := schema["type"].([]any)
	if one, ok := schema["type"].(string); ok {
		types = []any{one}
	}
	for _, t := range types {
		if name, ok := t.(string); !ok || !schemaTypes[name] {
			return fmt.Errorf("%s/type: no such type: %v", at, t)
		}
	}
	for _, name := range counts {
		if n, ok := schema[name].(float64); ok && (n < 0 || n != math.Trunc(n)) {
			return fmt.Errorf("%s/%s: %v, want a whole number, 0 or more", at, name, n)
		}
	}
	for _, name := range inObjects {
		fields, _ := schema[name].(map[string]any)
		for field, inner := range fields {
			if err := checkKeywordsIn(inner, at+"/"+name+"/"+field); err != nil {
				return err
			}
		}
	}
	for _, name := range inLists {
		list, _ := schema[name].([]any)
		for i, inner := range list {
			if err := checkKeywordsIn(inner, fmt.Sprintf("%s/%s/%d", at, name, i)); err != nil {
				return err
			}
		}
	}
	for _, name := range inFields {
		if err := checkKeywordsIn(schema[name], at+"/"+name); err != nil {
			return err
		}
	}
	return nil
}
