// Package schematest answers one question, for tests: is this document what its
// schema says? The judge is a validator that is not ours.
package schematest

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/skillhand/skillhand/schemas"
)

// A Schema judges documents.
type Schema struct{ compiled *jsonschema.Schema }

// A test is a testing.TB or a testscript.TestScript.
type test interface {
	Fatalf(format string, args ...any)
}

// Ours is one of our schemas, by its name: run-v1.
func Ours(t test, name string) Schema {
	text, err := schemas.Files.ReadFile(name + ".schema.json")
	if err != nil {
		t.Fatalf("%v", err)
	}
	return Compile(t, name, text)
}

// Compile is a schema that is written as JSON.
func Compile(t test, name string, text []byte) Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	compiled, err := c.Compile(name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return Schema{compiled}
}

// Fault says what is wrong with a document.
func (s Schema) Fault(doc []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		return err
	}
	return s.compiled.Validate(value)
}

// FaultYAML says what is wrong with a document that is written as YAML.
func (s Schema) FaultYAML(doc string) error {
	var value any
	if err := yaml.Unmarshal([]byte(doc), &value); err != nil {
		return err
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return s.Fault(text)
}

// Script is a command for scripts: schema NAME fails unless each line of stdout
// is a document of our schema.
func Script(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: schema NAME")
	}
	schema := Ours(ts, args[0])
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		ts.Check(schema.Fault([]byte(line)))
	}
}
