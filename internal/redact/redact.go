// Package redact answers one question: what does this text look like without
// the secrets that are in the environment?
//
// secrets.go decides which values are secrets, forms.go how each may be spelled, and match.go where
// they are in a text. It takes one pass and a time that is linear in the text, however many secrets
// there are.
package redact

import (
	"io"
	"slices"
	"sync"
)

// A Redactor replaces each secret by the name of the variable that holds it. The
// zero value replaces nothing. It may be used from several goroutines.
type Redactor struct {
	env   []string
	once  sync.Once
	words *trie // of all secrets, in all their forms
}

// New returns a Redactor for an environment. The Redactor looks at env only when the first text
// arrives, because most commands have none.
func New(env []string) *Redactor { return &Redactor{env: slices.Clone(env)} }

// maxNodes limits the memory for other forms of secrets, if there are thousands.
const maxNodes = 200_000

func (r *Redactor) trie() *trie {
	r.once.Do(func() {
		t := newTrie()
		secrets := secretsOf(r.env)
		for _, s := range secrets {
			t.add(s.text, s.mark)
		}
		forms := make([][]string, len(secrets))
		most := 0
		for i, s := range secrets {
			forms[i] = otherForms(s)
			most = max(most, len(forms[i]))
		}
		for n := range most { // add the likeliest form of every secret first
			for i, s := range secrets {
				if n < len(forms[i]) && len(t.nodes) < maxNodes {
					t.add(forms[i][n], s.mark)
				}
			}
		}
		t.link()
		r.words, r.env = t, nil
	})
	return r.words
}

// Text returns s with every secret replaced.
func (r *Redactor) Text(s string) string {
	m := matcher{trie: r.trie()}
	scan(&m, s, 0)
	if len(m.hits) == 0 {
		return s
	}
	out, _ := pass(&m, nil, s, len(s))
	return string(out)
}

// Head works as Text does, for the beginning of a longer text. It leaves out the end of s if that
// may be the beginning of a secret.
func (r *Redactor) Head(s string) string {
	m := matcher{trie: r.trie()}
	out, _ := pass(&m, nil, s, scan(&m, s, 0))
	return string(out)
}

// Writer returns a writer that passes text on to w without its secrets, however the text is cut
// into pieces. It holds back only what may be the beginning of a secret: never more than a line,
// and nothing after the end of a line. Close writes what was held back.
func (r *Redactor) Writer(w io.Writer) io.WriteCloser {
	return &writer{w: w, matcher: matcher{trie: r.trie()}}
}

type writer struct {
	w       io.Writer
	matcher matcher
	held    []byte
	out     []byte
}

func (w *writer) Write(p []byte) (int, error) {
	from := len(w.held)
	w.held = append(w.held, p...)
	if err := w.pass(scan(&w.matcher, w.held, from)); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (w *writer) Close() error { return w.pass(len(w.held)) }

func (w *writer) pass(limit int) error {
	out, rest := pass(&w.matcher, w.out[:0], w.held, limit)
	w.out, w.held = out, append(w.held[:0], rest...)
	if len(out) == 0 {
		return nil
	}
	_, err := w.w.Write(out)
	return err
}
