package lsp

import (
	"strings"
	"unicode/utf8"
)

// The messages of the Language Server Protocol that this package reads and writes.
type (
	position struct {
		Line      int `json:"line"`
		Character int `json:"character"` // in UTF-16 units
	}
	span struct {
		Start position `json:"start"`
		End   position `json:"end"`
	}
	textID struct {
		URI string `json:"uri"`
	}
	textParams struct {
		TextDocument textID `json:"textDocument"`
	}
	didOpenParams struct {
		TextDocument struct {
			URI     string `json:"uri"`
			Version *int   `json:"version,omitempty"`
			Text    string `json:"text"`
		} `json:"textDocument"`
	}
	didChangeParams struct {
		TextDocument struct {
			URI     string `json:"uri"`
			Version *int   `json:"version,omitempty"`
		} `json:"textDocument"`
		Changes []struct {
			Text string `json:"text"`
		} `json:"contentChanges"`
	}
	positionParams struct {
		TextDocument textID   `json:"textDocument"`
		Position     position `json:"position"`
	}
	codeActionParams struct {
		TextDocument textID `json:"textDocument"`
		Range        span   `json:"range"`
	}
	publishParams struct {
		URI         string       `json:"uri"`
		Version     *int         `json:"version,omitempty"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}
	diagnostic struct {
		Range           span   `json:"range"`
		Severity        int    `json:"severity"`
		Code            string `json:"code"`
		CodeDescription struct {
			Href string `json:"href"`
		} `json:"codeDescription"`
		Source  string `json:"source"`
		Message string `json:"message"`
	}
	textEdit struct {
		Range   span   `json:"range"`
		NewText string `json:"newText"`
	}
	codeAction struct {
		Title       string       `json:"title"`
		Kind        string       `json:"kind"`
		Diagnostics []diagnostic `json:"diagnostics"`
		Preferred   bool         `json:"isPreferred"`
		Edit        struct {
			Changes map[string][]textEdit `json:"changes"`
		} `json:"edit"`
	}
	markup struct {
		Kind  string `json:"kind"`
		Value string `json:"value"`
	}
	hover struct {
		Contents markup `json:"contents"`
	}
	completionItem struct {
		Label         string `json:"label"`
		Kind          int    `json:"kind"`
		Documentation string `json:"documentation,omitempty"`
		InsertText    string `json:"insertText,omitempty"`
	}
	initializeResult struct {
		Capabilities struct {
			TextDocumentSync   int  `json:"textDocumentSync"`
			HoverProvider      bool `json:"hoverProvider"`
			CodeActionProvider struct {
				Kinds []string `json:"codeActionKinds"`
			} `json:"codeActionProvider"`
			CompletionProvider struct {
				Triggers []string `json:"triggerCharacters"`
			} `json:"completionProvider"`
		} `json:"capabilities"`
		ServerInfo struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"serverInfo"`
	}
)

func (t *document) rangeOf(from, to int) span { return span{t.position(from), t.position(to)} }

// position converts a byte offset to a line and a character, as editors count.
func (t *document) position(offset int) position {
	before := t.src[:min(offset, len(t.src))]
	start := strings.LastIndexByte(before, '\n') + 1
	p := position{Line: strings.Count(before, "\n")}
	for _, r := range before[start:] {
		p.Character += units(r)
	}
	return p
}

func (t *document) offset(p position) int {
	i := 0
	for range p.Line {
		n := strings.IndexByte(t.src[i:], '\n')
		if n < 0 {
			return len(t.src)
		}
		i += n + 1
	}
	for left := p.Character; left > 0 && i < len(t.src) && t.src[i] != '\n'; {
		r, n := utf8.DecodeRuneInString(t.src[i:])
		left -= units(r)
		i += n
	}
	return i
}

// units returns how many UTF-16 units a character has.
func units(r rune) int {
	if r > 0xffff {
		return 2
	}
	return 1
}
