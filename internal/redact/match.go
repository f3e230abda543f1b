package redact

// A trie finds words in a text, all of them at once (Aho and Corasick). Each node stands for the
// beginning of a word. Its fail leads to the node of the longest shorter beginning that the text up
// to here also ends in.
type trie struct {
	nodes []node
	first [256]int32 // the children of the root
	marks []string
}

type node struct {
	child, sibling, fail int32 // 0 means none, or the root
	depth                int32
	longest              int32 // the length of the longest word that ends here; 0 means none
	mark                 int32 // the index of what replaces that word
	char                 byte
}

func newTrie() *trie { return &trie{nodes: make([]node, 1)} }

// add adds a word and what replaces it. If a word is added twice, the first mark counts.
func (t *trie) add(word, mark string) {
	at := int32(0)
	for i := range len(word) {
		next := t.step(at, word[i])
		if next == 0 {
			next = int32(len(t.nodes))
			t.nodes = append(t.nodes, node{char: word[i], depth: int32(i + 1), sibling: t.nodes[at].child})
			if t.nodes[at].child = next; at == 0 {
				t.first[word[i]] = next
			}
		}
		at = next
	}
	if n := &t.nodes[at]; at != 0 && n.longest == 0 {
		n.longest, n.mark = n.depth, int32(len(t.marks))
		t.marks = append(t.marks, mark)
	}
}

// step returns the child of a node for the next character.
func (t *trie) step(at int32, char byte) int32 {
	if at == 0 {
		return t.first[char]
	}
	child := t.nodes[at].child
	for child != 0 && t.nodes[child].char != char {
		child = t.nodes[child].sibling
	}
	return child
}

// link completes the trie. Call it once, after the last word. It visits the nodes by their depth.
func (t *trie) link() {
	queue := make([]int32, 1, len(t.nodes))
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		for child := t.nodes[at].child; child != 0; child = t.nodes[child].sibling {
			queue = append(queue, child)
			if at == 0 {
				continue
			}
			fail := t.next(t.nodes[at].fail, t.nodes[child].char)
			n := &t.nodes[child]
			if n.fail = fail; n.longest == 0 {
				n.longest, n.mark = t.nodes[fail].longest, t.nodes[fail].mark
			}
		}
	}
}

// next returns the node that a character leads to.
func (t *trie) next(at int32, char byte) int32 {
	for {
		next := t.step(at, char)
		if next != 0 || at == 0 {
			return next
		}
		at = t.nodes[at].fail
	}
}

// A matcher finds the words in a text that comes in pieces.
type matcher struct {
	trie  *trie
	at    int32
	hits  []hit
	found bool // there was a hit
}

// A hit is a part of the text that is one word, or several words that overlap. Every byte of a word
// is part of a hit.
type hit struct {
	start, end    int
	longest, mark int32 // the length and the mark of the longest of its words
}

// scan reads text from an index on; the matcher has read the part before. It returns the earliest
// index at which an unfinished word may begin.
func scan[T string | []byte](m *matcher, text T, from int) (limit int) {
	at, nodes := m.at, m.trie.nodes
	for i := from; i < len(text); i++ {
		if at == 0 {
			for m.trie.first[text[i]] == 0 {
				if i++; i == len(text) {
					m.at = 0
					return i
				}
			}
		}
		at = m.trie.next(at, text[i])
		if n := &nodes[at]; n.longest > 0 {
			m.add(hit{i + 1 - int(n.longest), i + 1, n.longest, n.mark})
		}
	}
	m.at = at
	return len(text) - int(nodes[at].depth)
}

// add adds a hit that ends after all others, and joins it with the hits that it overlaps.
func (m *matcher) add(h hit) {
	for len(m.hits) > 0 {
		last := m.hits[len(m.hits)-1]
		if last.end <= h.start {
			break
		}
		if h.start = min(h.start, last.start); last.longest > h.longest {
			h.longest, h.mark = last.longest, last.mark
		}
		m.hits = m.hits[:len(m.hits)-1]
	}
	m.hits, m.found = append(m.hits, h), true
}

// pass appends to out the part of text before limit, with hits replaced. An unfinished word may
// begin at limit. pass returns the part of text that is still needed.
func pass[T string | []byte](m *matcher, out []byte, text T, limit int) (passed []byte, rest T) {
	done, hits := 0, m.hits
	for len(hits) > 0 && hits[0].end <= limit {
		out = append(append(out, text[done:hits[0].start]...), m.trie.marks[hits[0].mark]...)
		done, hits = hits[0].end, hits[1:]
	}
	if len(hits) > 0 && hits[0].start < limit {
		out = append(out, text[done:hits[0].start]...) // the word may go on, but no other can begin in its part before limit
	} else {
		out = append(out, text[done:limit]...)
	}
	kept := m.hits[:0]
	for _, h := range hits {
		h.start, h.end = max(h.start-limit, 0), h.end-limit
		kept = append(kept, h)
	}
	m.hits = kept
	return out, text[limit:]
}
