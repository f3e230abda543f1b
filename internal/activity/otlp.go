package activity

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/skillhand/skillhand/internal/here"
)

// A span is a request or an event to export.
type span struct {
	name, skill, model string
	at                 time.Time
	tokens             Tokens
}

// SaveOTLP writes the output of WriteOTLP to a file.
func SaveOTLP(path string, h here.Here, o Options) (int, error) {
	file, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	n, err := WriteOTLP(file, h, o)
	return n, cmp.Or(err, file.Close())
}

// WriteOTLP reads transcripts and writes their requests and events as OpenTelemetry spans. It uses
// OpenTelemetry's names for generative AI, and writes one line of OTLP JSON for each file with
// spans. A transcript records when a request ended but not how long it took, so spans have no
// duration. WriteOTLP returns the number of spans.
func WriteOTLP(w io.Writer, h here.Here, o Options) (int, error) {
	h, err := h.Complete()
	if err != nil {
		return 0, err
	}
	all, err := folders(h, o.Agent)
	if err != nil {
		return 0, err
	}
	if _, faults := refresh(all); len(faults) > 0 {
		return 0, errors.Join(faults...)
	}
	r := newAccountant(o)
	for _, f := range all {
		r.add(f)
	}
	r.claim()
	count := 0
	enc := json.NewEncoder(w)
	for _, f := range r.files {
		spans := r.spans(f)
		if len(spans) == 0 || !r.wants(f.tally) {
			continue
		}
		if err := enc.Encode(otlpLine(f.tally, spans)); err != nil {
			return count, err
		}
		count += len(spans)
	}
	return count, nil
}

// spans returns the requests and events that count in a file, in order.
func (r *accountant) spans(f *tallied) (all []span) {
	add := func(own bool, s span) {
		if own && r.counts(s.at.Local().Format(time.DateOnly)) && (r.o.Skill == "" || s.skill == r.o.Skill) {
			all = append(all, s)
		}
	}
	next := 0
	events := func(turn int) {
		for ; next < len(f.Events) && f.Events[next].Turn <= turn; next++ {
			switch e := f.Events[next]; e.What {
			case delivered, refused, failed, blocked, compacted:
				add(f.events[next], span{name: e.What, skill: e.Skill, at: time.UnixMilli(e.At)})
			}
		}
	}
	for i, t := range f.Turns {
		events(i)
		add(f.turns[i], span{name: "chat", skill: t.Skill, model: t.Model, at: time.UnixMilli(t.At), tokens: t.Tokens})
	}
	events(len(f.Turns))
	return all
}

// otlpLine returns the spans of a file as a request to a collector.
func otlpLine(t *tally, spans []span) map[string]any {
	var out []any
	for i, s := range spans {
		when := strconv.FormatInt(s.at.UnixNano(), 10)
		out = append(out, map[string]any{
			"traceId": id(16, t.Agent, t.Session), "spanId": id(8, t.Session, t.AgentID, i), "name": s.title(), "kind": 3,
			"startTimeUnixNano": when, "endTimeUnixNano": when, "attributes": s.attributes(t),
		})
	}
	return map[string]any{"resourceSpans": []any{map[string]any{
		"resource":   map[string]any{"attributes": []any{attribute("service.name", t.Agent), attribute("service.version", t.Version)}},
		"scopeSpans": []any{map[string]any{"scope": map[string]any{"name": "skillhand"}, "spans": out}},
	}}}
}

func (s span) title() string {
	if s.name == "chat" {
		return "chat " + s.model
	}
	return "execute_tool Skill"
}

func (s span) attributes(t *tally) []any {
	all := []any{attribute("gen_ai.conversation.id", t.Session)}
	if s.skill != "" {
		all = append(all, attribute("skillhand.skill", s.skill))
	}
	if s.name != "chat" {
		return append(all, attribute("gen_ai.operation.name", "execute_tool"),
			attribute("gen_ai.tool.name", "Skill"), attribute("skillhand.event", s.name))
	}
	u := s.tokens
	return append(all, attribute("gen_ai.operation.name", "chat"), attribute("gen_ai.request.model", s.model),
		attribute("gen_ai.usage.input_tokens", u.Input+u.CacheRead+u.CacheWrite+u.CacheWrite1),
		attribute("gen_ai.usage.output_tokens", u.Output),
		attribute("gen_ai.usage.cache_read.input_tokens", u.CacheRead),
		attribute("gen_ai.usage.cache_creation.input_tokens", u.CacheWrite+u.CacheWrite1))
}

// attribute returns a name with a value. OTLP writes whole numbers as strings.
func attribute(key string, v any) any {
	if n, ok := v.(int64); ok {
		return map[string]any{"key": key, "value": map[string]any{"intValue": strconv.FormatInt(n, 10)}}
	}
	return map[string]any{"key": key, "value": map[string]any{"stringValue": v}}
}

// id returns a stable id of size bytes.
func id(size int, parts ...any) string {
	var b []byte
	for i := 0; len(b) < size; i++ {
		h := fnv.New64a()
		fmt.Fprint(h, i, parts)
		b = binary.BigEndian.AppendUint64(b, h.Sum64())
	}
	return hex.EncodeToString(b[:size])
}
