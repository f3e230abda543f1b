package test

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/skillhand/skillhand/schemas"
)

// A Schema tells whether a document is what it says. The judge is a validator that is not ours.
type Schema struct{ compiled *jsonschema.Schema }

// A failer is a testing.TB or a testscript.TestScript.
type failer interface {
	Fatalf(format string, args ...any)
}

// OurSchema compiles one of our schemas, by its name: run-v1.
func OurSchema(t failer, name string) Schema {
	text, err := schemas.Files.ReadFile(name + ".schema.json")
	if err != nil {
		t.Fatalf("%v", err)
	}
	return CompileSchema(t, name, text)
}

// CompileSchema compiles a schema that is written as JSON.
func CompileSchema(t failer, name string, text []byte) Schema {
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

// SchemaScript adds a command to test scripts: schema NAME fails unless each line of stdout is a
// document of our schema.
func SchemaScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: schema NAME")
	}
	schema := OurSchema(ts, args[0])
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		ts.Check(schema.Fault([]byte(line)))
	}
}
