package claude

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
)

// A schema is what an answer must fit. Every answer fits a nil schema.
type schema struct {
	argument string // as the CLI gets it
	resolved *jsonschema.Resolved
	graph    *schemaGraph
}

const (
	maxArgument    = 128<<10 - 1 // bytes that Linux accepts as one argument
	maxSchemaDepth = 100
)

// newSchema reads a schema. It rejects a schema that is too long for an argument, and a schema that
// no answer could be checked against in reasonable time. Nothing is asked before that.
func newSchema(text json.RawMessage) (*schema, error) {
	if text == nil {
		return nil, nil
	}
	s, err := readSchema(text)
	if err != nil {
		return nil, &RequestError{Field: "schema", Fault: err.Error()}
	}
	return s, nil
}

func readSchema(text json.RawMessage) (*schema, error) {
	text, err := withinLimits(text)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil || fields == nil {
		return nil, errNoObject
	}
	// The validator recognizes two drafts by name and refuses all others, although the keywords are
	// the same. The CLI refuses a schema that names a draft.
	delete(fields, "$schema")
	var argument bytes.Buffer
	if err := newEncoder(&argument).Encode(fields); err != nil {
		return nil, err
	}
	var root map[string]any
	if err := json.Unmarshal(argument.Bytes(), &root); err != nil {
		return nil, err
	}
	if err := checkKeywordsIn(root, ""); err != nil {
		return nil, err
	}
	s := &schema{argument: strings.TrimSpace(argument.String())}
	var parsed jsonschema.Schema
	if err := json.Unmarshal(argument.Bytes(), &parsed); err != nil {
		return nil, err
	}
	if s.resolved, err = parsed.Resolve(nil); err != nil {
		return nil, err
	}
	if s.graph, err = newSchemaGraph(root); err != nil {
		return nil, err
	}
	return s, nil
}

var errNoObject = errors.New("not a JSON object")

// withinLimits returns a schema without white space. The steps after it take more than linear time,
// so it checks size and depth first.
func withinLimits(text json.RawMessage) (json.RawMessage, error) {
	d := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		switch _, err := d.ReadToken(); {
		case errors.Is(err, io.EOF):
			var compact bytes.Buffer
			if err := json.Compact(&compact, text); err != nil {
				return nil, errNoObject
			}
			if compact.Len() > maxArgument {
				return nil, fmt.Errorf("too large: %d bytes, more than the %d of one argument", compact.Len(), maxArgument)
			}
			return compact.Bytes(), nil
		case err != nil:
			return nil, errNoObject
		case d.StackDepth() > maxSchemaDepth:
			return nil, fmt.Errorf("nested more than %d deep", maxSchemaDepth)
		}
	}
}

// check returns what is wrong with a value. The validator cannot be stopped, so check refuses a
// value that would take too long. A validation that still runs when the context ends therefore ends
// soon.
func (s *schema) check(ctx context.Context, value json.RawMessage) error {
	if s == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var v any
	if err := json.Unmarshal(value, &v); err != nil {
		return err
	}
	if !s.graph.isBounded(v) {
		return fmt.Errorf("cannot be checked: it takes more than %d steps", maxSteps)
	}
	done := make(chan error, 1)
	go func() { done <- s.resolved.Validate(v) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// find returns the JSON of a result: the first JSON in it or, with a schema, the first that fits.
// Without a schema, a result needs no JSON.
func (s *schema) find(ctx context.Context, res *result) (json.RawMessage, error) {
	var misfit error
	for value := range candidates(res) {
		err := s.check(ctx, value)
		if err == nil {
			return value, nil
		}
		if misfit == nil || ctx.Err() != nil {
			misfit = err
		}
	}
	if s != nil && misfit == nil {
		misfit = errors.New("it contains no JSON")
	}
	return nil, misfit
}

// ExtractJSON returns the JSON in an answer. That is the first fenced block marked json or jsonc
// that parses, else the first block without a mark, else the whole answer.
func ExtractJSON(answer string) (json.RawMessage, bool) {
	for value := range candidates(&result{Text: answer}) {
		return value, true
	}
	return nil, false
}

// candidates yields everything that may be the JSON of a result, the most certain first.
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

// asJSON returns text as JSON, if it is JSON. It does not copy a text that does not begin like
// JSON, because the text may be long.
func asJSON(text string) (json.RawMessage, bool) {
	text = strings.TrimSpace(text)
	if text == "" || !strings.ContainsRune(`{["-0123456789tfn`, rune(text[0])) ||
		strings.ContainsRune("tfn", rune(text[0])) && len(text) > len("false") {
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

// fence splits a line that opens or closes a block into its mark, three or more of ` or ~, and its
// info string. For any other line, mark is "".
func fence(line string) (mark, info string) {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "~~~") {
		return "", ""
	}
	rest := strings.TrimLeft(line, line[:1])
	return line[:len(line)-len(rest)], strings.TrimSpace(rest)
}

// untilFence returns the text before the fence that closes a block, or all of the text.
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

var (
	schemaTypes = map[string]bool{"string": true, "number": true, "integer": true, "object": true,
		"array": true, "boolean": true, "null": true}
	inObjects = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
	inLists   = []string{"allOf", "anyOf", "oneOf", "prefixItems", "items"}
	inFields  = []string{"items", "additionalItems", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else",
		"unevaluatedItems", "unevaluatedProperties"}
	counts = []string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"}
)

// checkKeywordsIn rejects keywords that the validator accepts and that no answer could meet, such
// as an unknown type or a negative length.
func checkKeywordsIn(doc any, at string) error {
	schema, ok := doc.(map[string]any)
	if !ok {
		return nil // true and false are schemas, too
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
