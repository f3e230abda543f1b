package history

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"
)

// decode reads a line into r.rec. What Append writes is read by hand; whatever looks
// different in any way is left to encoding/json. That alone would take four times
// as long: retro would be slower than Node counting the lines, and not twice as
// fast (make bench).
func (r *reader) decode(line []byte) bool {
	r.rec = Record{}
	p := plain{rest: line, known: r.known}
	if !p.record(&r.rec) {
		r.rec = Record{}
		if json.Unmarshal(line, &r.rec) != nil {
			return false
		}
	}
	return !r.rec.Time.IsZero() && r.rec.Kind != ""
}

// plain is a line that is read from left to right. Keys come in the order of
// Record's fields.
type plain struct {
	rest  []byte
	known map[string]string
}

func (p *plain) record(r *Record) bool {
	return p.time(&r.Time) &&
		p.text(`,"kind":`, (*string)(&r.Kind), true) &&
		p.text(`,"skill":`, &r.Skill, false) &&
		p.text(`,"label":`, &r.Label, false) &&
		p.text(`,"job":`, &r.Job, false) &&
		p.text(`,"batch":`, &r.Batch, false) &&
		p.text(`,"agent":`, &r.Agent, false) &&
		p.text(`,"prompt_hash":`, &r.PromptHash, false) &&
		p.text(`,"project":`, &r.Project, true) &&
		p.truth(`,"ok":`, &r.OK) &&
		p.text(`,"category":`, &r.Category, false) &&
		p.text(`,"detail":`, &r.Detail, false) &&
		p.confidence(r) &&
		p.number(`,"duration_ms":`, &r.DurationMS, true) &&
		p.number(`,"cost_usd":`, &r.CostUSD, false) &&
		p.text(`,"session":`, &r.Session, false) &&
		p.text(`,"input_hash":`, &r.InputHash, false) &&
		string(p.rest) == "}"
}

// time reads when a line was written: every line begins with it.
func (p *plain) time(into *time.Time) bool {
	if !p.key(`{"time":"`) {
		return false
	}
	end := bytes.IndexByte(p.rest, '"')
	if end < 0 || into.UnmarshalText(p.rest[:end]) != nil {
		return false
	}
	p.rest = p.rest[end+1:]
	return true
}

// key steps over a key.
func (p *plain) key(key string) bool {
	if len(p.rest) < len(key) || string(p.rest[:len(key)]) != key {
		return false
	}
	p.rest = p.rest[len(key):]
	return true
}

// text reads a string that has no escapes.
func (p *plain) text(key string, into *string, required bool) bool {
	if !p.key(key) {
		return !required
	}
	if len(p.rest) == 0 || p.rest[0] != '"' {
		return false
	}
	end := bytes.IndexByte(p.rest[1:], '"') + 1
	if end == 0 {
		return false
	}
	value := p.rest[1:end]
	ascii := true
	for _, c := range value {
		if c < ' ' || c == '\\' {
			return false
		}
		ascii = ascii && c < utf8.RuneSelf
	}
	if !ascii && !utf8.Valid(value) {
		return false
	}
	p.rest = p.rest[end+1:]
	s, seen := p.known[string(value)]
	if !seen {
		s = string(value)
		if len(p.known) < maxKnown {
			p.known[s] = s
		}
	}
	*into = s
	return true
}

// maxKnown bounds the strings that are kept to be used again.
const maxKnown = 10_000

func (p *plain) truth(key string, into *bool) bool {
	if !p.key(key) {
		return false
	}
	*into = p.key("true")
	return *into || p.key("false")
}

func (p *plain) confidence(r *Record) bool {
	const key = `,"confidence":`
	if !bytes.HasPrefix(p.rest, []byte(key)) {
		return true
	}
	r.Confidence = new(float64)
	return p.number(key, r.Confidence, true)
}

// number reads digits, with or without a point among them.
func (p *plain) number(key string, into *float64, required bool) bool {
	if !p.key(key) {
		return !required
	}
	end, point := 0, -1
	for end < len(p.rest) && ('0' <= p.rest[end] && p.rest[end] <= '9' || p.rest[end] == '.' && point < 0) {
		if p.rest[end] == '.' {
			point = end
		}
		end++
	}
	digits := p.rest[:end]
	if end == 0 || point == 0 || point == end-1 || digits[0] == '0' && end > 1 && point != 1 {
		return false
	}
	p.rest = p.rest[end:]
	var err error
	*into, err = strconv.ParseFloat(string(digits), 64)
	return err == nil
}
