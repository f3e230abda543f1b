// Package yamlfile answers one question: what is the YAML of this file, or on which line is it none?
package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Fault says why a text is not a file of YAML.
type Fault struct {
	Line int // 0 if nobody knows
	Text string
}

// Parse reads the one document of a file; nil means that the file holds none.
func Parse(text []byte) (*yaml.Node, *Fault) {
	var doc, more yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(text))
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err == nil {
		if err = dec.Decode(&more); err == nil {
			return nil, &Fault{more.Line, "a second document in one file: it would not be read"}
		}
	}
	if !errors.Is(err, io.EOF) {
		fault := FaultOf(string(text), err)
		return nil, &Fault{fault.Line, "not YAML: " + fault.Text}
	}
	return doc.Content[0], nil
}

// FaultOf returns what the parser says of a text that is not YAML, and the line of the fault: the one after the longest
// beginning that is YAML. The parser often names the line before.
func FaultOf(text string, err error) Fault {
	f := Fault{Text: strings.TrimPrefix(err.Error(), "yaml: ")}
	if n, _ := fmt.Sscanf(f.Text, "line %d:", &f.Line); n == 1 {
		_, f.Text, _ = strings.Cut(f.Text, ": ")
	}
	lines := strings.SplitAfter(strings.TrimRight(text, " \t\r\n"), "\n")
	if len(lines) > 100 {
		return f // each is read with all above it
	}
	for n := len(lines) - 1; n >= 0; n-- {
		if isYAML(strings.Join(lines[:n], "")) {
			f.Line = n + 1
			break
		}
	}
	return f
}

// isYAML reads all documents of a text: the parser takes what follows the first one for another.
func isYAML(text string) bool {
	dec := yaml.NewDecoder(strings.NewReader(text))
	for {
		if err := dec.Decode(new(yaml.Node)); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}
