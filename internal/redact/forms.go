package redact

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// minEncoded is how long a secret must be to be known in base64, where it is known
// only in part.
const minEncoded = 12

// otherForms returns how a secret may be spelled elsewhere.
func otherForms(s secret) (all []string) {
	if s.verbatim {
		return nil
	}
	if strings.ContainsFunc(s.text, isSpecial) {
		plain := jsonSpelled(s.text, false, false)
		all = append(all,
			plain, jsonSpelled(s.text, true, false), jsonSpelled(s.text, true, true),
			strings.ReplaceAll(plain, "/", `\/`), jsonSpelled(plain, false, false),
			url.QueryEscape(s.text), url.PathEscape(s.text), lowerEscapes(url.QueryEscape(s.text)),
			strings.ReplaceAll(s.text, `'`, `'\''`),
		)
	}
	if len(s.text) >= minEncoded {
		all = append(all, inBase64(s.text)...)
	}
	return all
}

// isSpecial reports whether a character may be spelled in several ways.
func isSpecial(c rune) bool {
	return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("-_.~", c))
}

// jsonSpelled returns how a text is written within a JSON string, by those that
// also escape what HTML gives a meaning, and by those that write only ASCII.
func jsonSpelled(text string, html, ascii bool) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	if !utf8.ValidString(text) || enc.Encode(text) != nil {
		return text
	}
	quoted := strings.TrimSpace(b.String())
	quoted = quoted[1 : len(quoted)-1]
	if !ascii {
		return quoted
	}
	b.Reset()
	for _, c := range quoted {
		switch {
		case c < utf8.RuneSelf:
			b.WriteRune(c)
		case c > 0xFFFF:
			high, low := utf16.EncodeRune(c)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, c)
		}
	}
	return b.String()
}

// lowerEscapes writes %2F as %2f.
func lowerEscapes(text string) string {
	b := []byte(text)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(string(b[i+1:i+3])))
		}
	}
	return string(b)
}

// inBase64 returns what a text looks like within anything that was encoded, such
// as user:password for a Basic authorization: three bytes become four
// characters, so there are three ways, and the characters at its ends also
// depend on what is beside it.
func inBase64(text string) (all []string) {
	for before := range 3 {
		whole := append(make([]byte, before), text...)
		from, to := (before*8+5)/6, len(whole)*8/6
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			all = append(all, encoding.EncodeToString(whole)[from:to])
		}
	}
	return all
}
