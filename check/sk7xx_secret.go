package check

import (
	"cmp"
	"slices"
	"strings"
)

// A foundSecret is a key or token in a text.
type foundSecret struct {
	start, end int
	text       string // with the lines after it that are secret too
	what       string
}

// findSecrets lists the keys and tokens in a text that one knows by their shape.
func findSecrets(src string) []foundSecret {
	var all []foundSecret
	for _, t := range tokens {
		for at := 0; ; {
			i := strings.Index(src[at:], t.prefix)
			if i < 0 {
				break
			}
			start := at + i
			at = start + len(t.prefix)
			rest := src[at:]
			n := countLetters(rest, t.letters, t.max+1)
			inWord := start > 0 && strings.IndexByte(upper+lower+digits+"_", src[start-1]) >= 0
			if n < t.min || n > t.max || inWord || isPlaceholder(rest[:n]) {
				continue
			}
			all = append(all, foundSecret{start, at + n, src[start : at+n], t.what})
		}
	}
	return append(all, findKeys(src)...)
}

// findKeys lists private keys, each over several lines.
func findKeys(src string) []foundSecret {
	const begin, key, finish = "-----BEGIN ", "PRIVATE KEY-----", "-----END "
	var all []foundSecret
	for at := 0; ; {
		i := strings.Index(src[at:], begin)
		if i < 0 {
			return all
		}
		start := at + i
		at = start + len(begin)
		line, body, _ := strings.Cut(src[at:], "\n")
		first, _, _ := strings.Cut(strings.TrimSpace(body), "\n")
		if !strings.HasSuffix(strings.TrimSpace(line), key) || countLetters(first, upper+lower+digits+"+/=", 100) < 60 || isPlaceholder(first) {
			continue
		}
		text, _, _ := strings.Cut(body, finish)
		all = append(all, foundSecret{start, at + len(line), text, "a private key"})
	}
}

// mask takes what is secret out of all that is said about a file. A fix that would copy it is not
// offered.
func (d *document) mask(all []*Finding) {
	if len(d.secrets) == 0 {
		return
	}
	m := newMask(d.secrets)
	lines := &mask{words: m.words}
	for _, f := range all {
		f.Message, f.Help, f.text = m.hide(f.Message), m.hide(f.Help), lines.hide(f.text)
		if f.Fix != nil && m.copies(f.Fix) {
			f.Fix = nil
		}
	}
	for i := range d.verdicts {
		v := &d.verdicts[i]
		for _, s := range []*string{&v.Command, &v.Part, &v.Rule, &v.Reason, &v.Suggest} {
			*s = m.hide(*s)
		}
	}
}

// Mask hides the keys and tokens in a text.
func Mask(text string) string { return newMask(findSecrets(text)).hide(text) }

// A mask hides words, found by how they begin. Some of one is enough to be hidden, as messages are
// cut short.
type mask struct {
	words      map[string][]string // by their first bytes, each list sorted
	last, done string              // a long line may have many findings
}

// maskHead is how many bytes of a secret give it away.
const maskHead = 8

func newMask(secrets []foundSecret) *mask {
	m := &mask{words: map[string][]string{}}
	for _, s := range secrets {
		for _, word := range strings.Fields(s.text) {
			if len(word) >= 2*maskHead {
				m.words[word[:maskHead]] = append(m.words[word[:maskHead]], word)
			}
		}
	}
	for _, words := range m.words {
		slices.Sort(words)
	}
	return m
}

// hide puts * in the place of each byte that is secret, so that columns stay the same.
func (m *mask) hide(text string) string {
	if text == m.last || len(m.words) == 0 {
		return cmp.Or(m.done, text)
	}
	var hidden []byte
	for i := 0; i+maskHead <= len(text); i++ {
		words := m.words[text[i:i+maskHead]]
		if len(words) == 0 {
			continue
		}
		// The word that has most in common with the text is its neighbour in the order of words.
		at, _ := slices.BinarySearchFunc(words, text[i:], strings.Compare)
		n := 0
		for _, word := range words[max(0, at-1):min(at+1, len(words))] {
			n = max(n, common(text[i:], word))
		}
		if hidden == nil {
			hidden = []byte(text)
		}
		copy(hidden[i:], strings.Repeat("*", n))
		i += n - 1
	}
	m.last, m.done = text, text
	if hidden != nil {
		m.done = string(hidden)
	}
	return m.done
}

// common counts the bytes that two texts begin with alike.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func (m *mask) copies(f *Fix) bool {
	text := f.Title
	for _, e := range f.Edits {
		text += "\n" + e.Text
	}
	return m.hide(text) != text
}
