package usage

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"time"
)

// A coder writes the index or reads it: one description of a type's fields serves both ways. The index is read whole at
// every look, so it is compact: numbers take as many bytes as they need, and a text that occurred before is a number.
// Damaged bytes set bad; what was read of them means nothing.
type coder struct {
	buf     []byte // what was written, or what is left to read
	reading bool
	bad     bool
	texts   []string       // in order of their first occurrence
	numbers map[string]int // of texts, to write
}

// encode writes what describe names.
func encode(describe func(*coder)) []byte {
	c := coder{numbers: map[string]int{}}
	describe(&c)
	return c.buf
}

// decode reads what encode wrote. It reports whether the bytes are whole.
func decode(data []byte, describe func(*coder)) bool {
	c := coder{buf: data, reading: true}
	describe(&c)
	return !c.bad && len(c.buf) == 0
}

// varint is any of the whole numbers.
func varint[T ~int | ~int64 | ~uint64](c *coder, v *T) {
	if !c.reading {
		c.buf = binary.AppendVarint(c.buf, int64(*v))
		return
	}
	n, size := binary.Varint(c.buf)
	if size <= 0 {
		c.bad, c.buf = true, nil
		return
	}
	*v, c.buf = T(n), c.buf[size:]
}

func (c *coder) bool(v *bool) {
	var n int
	if *v {
		n = 1
	}
	varint(c, &n)
	*v = n != 0
}

func (c *coder) float(v *float64) {
	n := math.Float64bits(*v)
	varint(c, &n)
	*v = math.Float64frombits(n)
}

func (c *coder) time(v *time.Time) {
	seconds, nanos := v.Unix(), v.Nanosecond()
	varint(c, &seconds)
	varint(c, &nanos)
	if c.reading {
		*v = time.Unix(seconds, int64(nanos)).UTC()
	}
}

func (c *coder) bytes(v *[]byte) {
	n := c.length(len(*v))
	if !c.reading {
		c.buf = append(c.buf, *v...)
		return
	}
	*v, c.buf = c.buf[:n:n], c.buf[n:]
}

func (c *coder) text(v *string) {
	number := len(c.texts)
	if known, ok := c.numbers[*v]; ok {
		number = known
	}
	varint(c, &number)
	switch {
	case number == len(c.texts):
		data := []byte(*v)
		if c.bytes(&data); c.reading {
			*v = string(data)
		} else {
			c.numbers[*v] = number
		}
		c.texts = append(c.texts, *v)
	case number < 0 || number > len(c.texts):
		c.bad, c.buf = true, nil
	default:
		*v = c.texts[number]
	}
}

// length is how many items or bytes follow, never more than the bytes that are left.
func (c *coder) length(n int) int {
	if varint(c, &n); c.reading && (c.bad || n < 0 || n > len(c.buf)) {
		c.bad, c.buf = true, nil
		return 0
	}
	return n
}

func list[T any](c *coder, all *[]T, one func(*coder, *T)) {
	n := c.length(len(*all))
	if c.reading && n > 0 {
		*all = make([]T, n)
	}
	for i := range n {
		one(c, &(*all)[i])
	}
}

func dict[V any](c *coder, all *map[string]V, one func(*coder, *V)) {
	n := c.length(len(*all))
	if !c.reading {
		for _, key := range slices.Sorted(maps.Keys(*all)) {
			v := (*all)[key]
			c.text(&key)
			one(c, &v)
		}
		return
	}
	if n > 0 {
		*all = make(map[string]V, n)
	}
	for range n {
		var key string
		var v V
		c.text(&key)
		one(c, &v)
		(*all)[key] = v
	}
}

func (s *shard) code(c *coder) {
	varint(c, &s.Version)
	if s.Version != indexVersion {
		c.bad, c.buf = true, nil
		return
	}
	dict(c, &s.Files, func(c *coder, v **indexed) {
		if c.reading {
			*v = &indexed{Tally: &tally{}}
		}
		(*v).code(c)
	})
	dict(c, &s.Lists, func(c *coder, v *[]Listed) {
		list(c, v, func(c *coder, l *Listed) { c.text(&l.Name); c.bool(&l.Bare) })
	})
}

func (e *indexed) code(c *coder) {
	varint(c, &e.Size)
	varint(c, &e.Changed)
	varint(c, &e.Offset)
	varint(c, &e.Head)
	varint(c, &e.Damaged)
	e.Tally.code(c)
	c.bytes(&e.State)
}

func (t *tally) code(c *coder) {
	for _, v := range []*string{&t.Agent, &t.Session, &t.Project, &t.Version, &t.AgentID, &t.Spawn, &t.Fork} {
		c.text(v)
	}
	c.bool(&t.Known)
	c.bool(&t.Copied)
	c.time(&t.Born)
	c.time(&t.First)
	c.time(&t.Last)
	list(c, &t.Sums, (*coder).sums)
	dict(c, &t.Lists, (*coder).text)
	dict(c, &t.Paid, func(c *coder, p *paid) { c.tokens(&p.Tokens); c.float(&p.USD) })
	dict(c, &t.Spawns, (*coder).text)
	list(c, &t.Claimed, (*coder).text)
}

func (c *coder) sums(s *sums) {
	c.text(&s.Day)
	c.text(&s.Skill)
	for _, v := range s.Counts.each() {
		varint(c, v)
	}
	varint(c, &s.Turns)
	varint(c, &s.Last)
	dict(c, &s.LostTo, varint[int])
	list(c, &s.Text, (*coder).spent)
	list(c, &s.Work, (*coder).spent)
}

func (c *coder) spent(s *spent) { c.text(&s.Model); c.tokens(&s.Tokens) }

func (c *coder) tokens(t *Tokens) {
	for _, v := range []*int64{&t.Input, &t.Output, &t.CacheRead, &t.CacheWrite, &t.CacheWrite1} {
		varint(c, v)
	}
}

func (s *state) code(c *coder) {
	for _, v := range []*string{&s.Active, &s.Chosen, &s.Before, &s.Person, &s.Model} {
		c.text(v)
	}
	list(c, &s.Texts, func(c *coder, h *held) { c.text(&h.Skill); varint(c, &h.Tokens); c.bool(&h.Fresh) })
	dict(c, &s.Gone, (*coder).bool)
	dict(c, &s.Calls, (*coder).text)
	c.tokens(&s.Seen)
	list(c, &s.Recent, func(c *coder, r *seen) { varint(c, &r.ID); c.tokens(&r.Tokens); c.text(&r.Skill); c.text(&r.Day) })
	varint(c, &s.Said)
	list(c, &s.Fires, func(c *coder, f *fire) { c.text(&f.Skill); varint(c, &f.At); varint(c, &f.Said); c.text(&f.How) })
	varint(c, &s.Bulk)
}
