package redact

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// minEncoded is how long a secret must be to be searched for in base64, where only a part of it can
// be recognized.
const minEncoded = 12

// otherForms returns other spellings of a secret, the likeliest first.
func otherForms(s secret) (all []string) {
	if s.verbatim {
		return nil
	}
	if strings.ContainsFunc(s.text, isSpecial) {
		all = append(all, inJSON(s.text)...)
		all = append(all, inAddress(s.text)...)
		all = append(all, quoted(s.text)...)
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

// inJSON returns how text is written within a JSON string by JavaScript, Python, Go, PHP (with \/)
// and .NET. It also returns how text is written in a document that is itself a JSON string.
func inJSON(text string) []string {
	if !utf8.ValidString(text) {
		return nil
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string can always be encoded
	plain := strings.TrimSpace(b.String())
	plain = plain[1 : len(plain)-1]
	ascii := escaped(plain, `\u%04x`, func(c rune) bool { return c >= utf8.RuneSelf })
	markup := func(c rune) bool { return strings.ContainsRune("<>&", c) }
	return []string{
		plain, ascii, escaped(plain, `\u%04x`, markup), escaped(ascii, `\u%04x`, markup),
		strings.ReplaceAll(plain, "/", `\/`), strings.ReplaceAll(ascii, "/", `\/`),
		escaped(strings.ReplaceAll(plain, `\"`, `"`), `\u%04X`,
			func(c rune) bool { return c >= utf8.RuneSelf || strings.ContainsRune("<>&'\"+`", c) }),
		again(plain), again(ascii),
	}
}

// again returns how the content of a JSON string is written within another JSON string.
func again(text string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text)
}

// escaped writes some characters as escapes, and as a pair of escapes where UTF-16 needs a pair.
func escaped(text, format string, which func(rune) bool) string {
	var b strings.Builder
	for _, c := range text {
		switch high, low := utf16.EncodeRune(c); {
		case !which(c):
			b.WriteRune(c)
		case high != utf8.RuneError:
			fmt.Fprintf(&b, format+format, high, low)
		default:
			fmt.Fprintf(&b, format, c)
		}
	}
	return b.String()
}

// inAddress returns how text is written in addresses. Programs agree on which characters must be
// escaped there, but not on which may stay as they are.
func inAddress(text string) (all []string) {
	for _, kept := range []string{
		"",            // as the standard says
		"/",           // Python's quote
		"!'()*",       // JavaScript's encodeURIComponent
		"$&+=:@",      // Go's PathEscape
		"!'()*$&+=:@", // what a path may contain
		"!'()*$&+=:@;,/?#",
	} {
		for _, digits := range []string{"0123456789ABCDEF", "0123456789abcdef"} {
			form := percent(text, kept, digits)
			all = append(all, form)
			if strings.Contains(form, "%20") {
				all = append(all, strings.ReplaceAll(form, "%20", "+")) // in a query
			}
		}
	}
	return all
}

func percent(text, kept, digits string) string {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c < utf8.RuneSelf && (!isSpecial(rune(c)) || strings.IndexByte(kept, c) >= 0) {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return b.String()
}

// quoted returns how text is quoted for shells (between single quotes, between double quotes, by
// printf %q), printed by Python, and written in XML and HTML.
func quoted(text string) []string {
	escape := func(special string) string {
		var b strings.Builder
		for _, c := range text {
			if strings.ContainsRune(special, c) {
				b.WriteByte('\\')
			}
			b.WriteRune(c)
		}
		return b.String()
	}
	markup := func(pairs ...string) string {
		return strings.NewReplacer(append(pairs, "&", "&amp;", "<", "&lt;", ">", "&gt;")...).Replace(text)
	}
	return []string{
		strings.ReplaceAll(text, `'`, `'\''`), escape("$`\"\\"), escape(" |&;()<>!{}*[]?^$`'\"\\,"), escape(`\`), escape(`\'`),
		markup(), markup(`"`, "&quot;"), markup(`"`, "&quot;", "'", "&apos;"), markup(`"`, "&quot;", "'", "&#x27;"),
		markup(`"`, "&quot;", "'", "&#39;"), markup(`"`, "&#34;", "'", "&#39;"),
	}
}

// inBase64 returns how text appears within anything that was encoded in base64, such as
// user:password for Basic authorization. Three bytes become four characters, so there are three
// ways. The characters at the ends are left out, because they also depend on what is beside the
// text.
func inBase64(text string) (all []string) {
	for before := range 3 {
		whole := append(make([]byte, before), text...)
		from, to := (before*8+5)/6, len(whole)*8/6
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			all = append(all, encoding.EncodeToString(whole)[from:to])
		}
	}
	for before := range 3 {
		all = append(all, wrapped(text, before)...)
	}
	return all
}

// wrapped returns pieces of an encoded text that is longer than a line. base64 breaks lines at 76
// characters and openssl at 64. Both are multiples of four, so every piece of a line begins with a
// whole group. Any four groups give the text away.
func wrapped(text string, before int) (all []string) {
	const piece, narrow, wide = 16, 64, 76
	whole := append(make([]byte, before), text...)
	encoded := base64.RawStdEncoding.EncodeToString(whole)
	from, to := (before*8+5)/6, len(whole)*8/6
	if to-from <= narrow {
		return nil
	}
	for at := 0; at+piece <= to; at += 4 {
		all = append(all, encoded[max(at, from):at+piece])
	}
	for _, width := range []int{narrow, wide} { // the last line of a text that was encoded alone
		switch last := to / width * width; {
		case before > 0 || last == 0 || last == to:
		case to-last >= piece/2:
			all = append(all, encoded[last:to])
		default: // too short to recognize without the line before
			all = append(all, encoded[last-piece:last]+"\n"+encoded[last:to])
		}
	}
	return all
}
