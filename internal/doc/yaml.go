// Package doc answers one question: what does this YAML or JSON text say, and on which line is it broken?
package doc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ParseYAML reads the one document of a file; nil means that there is nothing in it. A fault names no file, and line 0 if
// nobody knows the line.
func ParseYAML(text []byte) (*yaml.Node, *Fault) {
	var root *yaml.Node
	for dec := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var doc yaml.Node
		switch err := dec.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return root, nil
		case err != nil:
			fault := FaultOfYAML(string(text), err)
			return nil, &Fault{Line: fault.Line, Text: "not YAML: " + fault.Text}
		case doc.Content[0].Tag == "!!null": // as after a --- at the end
		case root != nil:
			return nil, &Fault{Line: doc.Line, Text: "a second document in one file: it would not be read"}
		default:
			root = doc.Content[0]
		}
	}
}

// FaultOfYAML returns what the parser says of a text that is not YAML, and the line of the fault: the one after the longest
// beginning that is YAML. The parser often names the line before.
func FaultOfYAML(text string, err error) Fault {
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
