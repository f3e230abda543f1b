// Package doc answers one question: what does this YAML or JSON text say, and on which line is it
// broken?
package doc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ParseYAML parses a file with one document. It returns nil if the file is empty. The fault has no
// file name, and its line is 0 if the line is unknown.
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
			return nil, &Fault{Line: doc.Line, Text: "a second document; only one per file is read"}
		default:
			root = doc.Content[0]
		}
	}
}

// FaultOfYAML returns the parser's message for a text that is not YAML, and the line of the error.
// That is the line after the longest beginning that is YAML: the parser often names the line
// before.
func FaultOfYAML(text string, err error) Fault {
	f := Fault{Text: strings.TrimPrefix(err.Error(), "yaml: ")}
	if n, _ := fmt.Sscanf(f.Text, "line %d:", &f.Line); n == 1 {
		_, f.Text, _ = strings.Cut(f.Text, ": ")
	}
	lines := strings.SplitAfter(strings.TrimRight(text, " \t\r\n"), "\n")
	if len(lines) > 100 {
		return f // the loop below would parse each line with all lines above it
	}
	for n := len(lines) - 1; n >= 0; n-- {
		if isYAML(strings.Join(lines[:n], "")) {
			f.Line = n + 1
			break
		}
	}
	return f
}

// isYAML reports whether all documents of a text are YAML: the parser reads text after the first
// document as another document.
func isYAML(text string) bool {
	dec := yaml.NewDecoder(strings.NewReader(text))
	for {
		if err := dec.Decode(new(yaml.Node)); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}
