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

// A Schema checks documents with a validator that is not ours.
type Schema struct{ compiled *jsonschema.Schema }

// A failer is a testing.TB or a testscript.TestScript.
type failer interface {
	Fatalf(format string, args ...any)
}

// OurSchema compiles one of our schemas by its name, such as run-v1.
func OurSchema(t failer, name string) Schema {
	text, err := schemas.Files.ReadFile(name + ".schema.json")
	if err != nil {
		t.Fatalf("%v", err)
	}
	return CompileSchema(t, name, text)
}

// CompileSchema compiles a schema from its JSON.
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

// Fault returns what is wrong with a document, or nil.
func (s Schema) Fault(doc []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		return err
	}
	return s.compiled.Validate(value)
}

// FaultYAML returns what is wrong with a YAML document, or nil.
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

// SchemaScript implements the command schema NAME for test scripts. It fails unless each line of
// stdout is a valid document by our schema.
func SchemaScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: schema NAME")
	}
	schema := OurSchema(ts, args[0])
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		ts.Check(schema.Fault([]byte(line)))
	}
}
