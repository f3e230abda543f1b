// Package redact answers one question: what does this text look like without
// the secrets that are in the environment?
package redact

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Redactor replaces secrets. The zero value replaces nothing.
type Redactor struct {
	secrets []secret
}

type secret struct{ name, value string }

// words in a variable's name that say it holds a secret.
var words = []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "APIKEY", "API_KEY", "ACCESS_KEY", "PRIVATE_KEY", "AUTH_KEY", "CREDENTIAL", "COOKIE"}

// endings of names that hold a secret.
var endings = []string{"_KEY", "_PAT", "_PASS", "_PWD", "_PW"}

// endings of names that hold a place, not the secret itself.
var places = []string{"_FILE", "_PATH", "_DIR", "_SOCK", "_URL", "_HELPER", "_CREDENTIALS", "_LENGTH", "_TIMEOUT", "_TTL", "_MAX", "_MAX_TOKENS", "_TOKENS"}

// minLength keeps words such as "none" or "true" from being taken for secrets.
const minLength = 8

// minPassword is for passwords in addresses, of which nothing else can be meant.
const minPassword = 4

// inAddress returns the password in an address such as postgres://user:password@host/.
func inAddress(value string) string {
	_, rest, ok := strings.Cut(value, "://")
	if !ok {
		return ""
	}
	authority, _, _ := strings.Cut(rest, "/")
	at := strings.LastIndexByte(authority, '@')
	if at < 0 {
		return ""
	}
	_, password, _ := strings.Cut(authority[:at], ":")
	return password
}

// New makes a Redactor for an environment.
func New(env []string) *Redactor {
	r := &Redactor{}
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		value = strings.TrimSpace(value) // as texts that hold it are trimmed
		if len(value) >= minLength && isSecretName(name) {
			r.secrets = append(r.secrets, secret{name, value})
		}
		if password := inAddress(value); len(password) >= minPassword {
			r.secrets = append(r.secrets, secret{name, password})
		}
	}
	// The longest first: one secret may be part of another.
	slices.SortStableFunc(r.secrets, func(a, b secret) int { return len(b.value) - len(a.value) })
	return r
}

func isSecretName(name string) bool {
	name = strings.ToUpper(name)
	if slices.ContainsFunc(places, func(end string) bool { return strings.HasSuffix(name, end) }) {
		return false
	}
	return slices.ContainsFunc(endings, func(end string) bool { return strings.HasSuffix(name, end) }) || slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) })
}

// Text returns s with every secret replaced by its variable's name.
func (r *Redactor) Text(s string) string {
	for _, secret := range r.secrets {
		if strings.Contains(s, secret.value) {
			s = strings.ReplaceAll(s, secret.value, "["+secret.name+" redacted]")
		}
	}
	return s
}

// Writer returns a writer that passes text on to w without its secrets, however
// the text is cut into pieces. Close writes what was held back.
func (r *Redactor) Writer(w io.Writer) io.WriteCloser {
	return &writer{r: r, w: w}
}

type writer struct {
	r    *Redactor
	w    io.Writer
	held []byte // may be the start of a secret
}

func (w *writer) Write(p []byte) (int, error) {
	w.held = append(w.held, p...)
	return len(p), w.pass(len(w.held) - w.r.longest() + 1)
}

func (w *writer) Close() error { return w.pass(len(w.held)) }

// pass writes what lies before cut, and all of a secret that starts there.
func (w *writer) pass(cut int) error {
	for cut > 0 {
		name, from, to := w.r.first(w.held)
		if from >= cut {
			break
		}
		if _, err := fmt.Fprintf(w.w, "%s[%s redacted]", w.held[:from], name); err != nil {
			return err
		}
		w.held, cut = w.held[to:], cut-to
	}
	if cut <= 0 {
		return nil
	}
	_, err := w.w.Write(w.held[:cut])
	w.held = append(w.held[:0], w.held[cut:]...)
	return err
}

func (r *Redactor) longest() int {
	if len(r.secrets) == 0 {
		return 1
	}
	return len(r.secrets[0].value)
}

// first returns the first secret in text; if there is none, from is past its end.
func (r *Redactor) first(text []byte) (name string, from, to int) {
	from = len(text) + 1
	for _, s := range r.secrets {
		if i := bytes.Index(text, []byte(s.value)); i >= 0 && i < from {
			name, from, to = s.name, i, i+len(s.value)
		}
	}
	return name, from, to
}
