package claude

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
)

// lingering is how long a CLI that gave its result has to end.
const lingering = 5 * time.Second

// A stdout takes what the CLI prints: all of it goes to the transcript, lines to
// the record. It also ends the CLI, by ending ctx, when that is silent or lingers.
type stdout struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	file    *os.File // nil means no transcript
	emptied bool
	idle    time.Duration
	emit    func(Event)
	reader  Reader // of another agent's stream; nil means Claude Code's

	mu      sync.Mutex
	silent  *time.Timer // nil means no idle timeout
	linger  *time.Timer
	done    bool
	held    []byte // of the line that has begun
	skipped bool   // it is not kept
	rec     record
}

func newStdout(ctx context.Context, file *os.File, idle time.Duration, emit func(Event)) *stdout {
	s := &stdout{file: file, idle: idle, emit: emit}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	if idle > 0 {
		s.silent = time.AfterFunc(idle, func() { s.cancel(&idleError{idle}) })
	}
	return s
}

// counts reports whether what the CLI says now is still its answer: not when it is being ended.
// The context knows that first, and needs no lock: a listener may be in the way.
func (s *stdout) counts() bool { return !s.done && s.ctx.Err() == nil }

// touch notes that the CLI is alive.
func (s *stdout) touch() {
	if s.silent != nil {
		s.silent.Reset(s.idle)
	}
}

func (s *stdout) Write(p []byte) (int, error) {
	s.touch()
	if s.file != nil {
		s.empty()
		if _, err := s.file.Write(p); err != nil {
			return 0, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counts() {
		s.take(p)
	}
	return len(p), nil
}

// empty takes what was in the transcript's file before, once the CLI has
// started: one that cannot be started must not cost the old one.
func (s *stdout) empty() {
	if s.file != nil && !s.emptied {
		s.emptied = true
		_ = s.file.Truncate(0) // a device or pipe has nothing to take
	}
}

// worthSkipping is how long a line must be before it is not worth keeping.
const worthSkipping = 1 << 20

// These say how long a line may be to be kept: a result, which has the answer, and any other. Tests make do with less.
var maxResult, maxHeld = 128 << 20, 8 << 20

// take cuts p into lines. Only one that has begun is kept.
func (s *stdout) take(p []byte) {
	for {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			break
		}
		if len(s.held) == 0 && !s.skipped {
			s.line(func() { s.event(p[:end]) })
		} else {
			s.more(p[:end])
			s.endLine()
		}
		p = p[end+1:]
	}
	s.more(p)
}

// more takes more of the line that has begun.
func (s *stdout) more(p []byte) {
	if s.skipped {
		return
	}
	before := len(s.held)
	s.held = append(s.held, p...)
	passes := func(size int) bool { return before <= size && len(s.held) > size }
	switch {
	case passes(worthSkipping) && s.reader == nil && skippable(s.held, s.emit != nil),
		passes(maxHeld) && (s.reader != nil || string(eventType(s.held)) != "result"), passes(maxResult):
		if s.skipped = true; s.reader == nil { // no event of another agent that matters is as long
			s.rec.skip(s.held, s.emit)
		}
		s.held = nil
	}
}

func (s *stdout) endLine() {
	held := s.held
	s.held, s.skipped = nil, false
	if len(held) > 0 {
		s.line(func() { s.event(held) })
		if cap(held) <= worthSkipping {
			s.held = held[:0]
		}
	}
}

// event takes an event of the CLI, or what another agent's event says in its words.
func (s *stdout) event(line []byte) {
	if s.reader == nil {
		s.rec.line(line, s.emit)
		return
	}
	s.reader.Line(line, func(said []byte) { s.rec.line(said, s.emit) })
}

// line takes a line. The CLI has not long to end after a result, and no time if we end it to save money.
func (s *stdout) line(take func()) {
	before := s.rec.result
	take()
	if s.rec.result == before {
		return
	}
	if s.linger != nil {
		s.linger.Stop()
	}
	wait := lingering
	if s.reader != nil && s.rec.result != nil && bySubtype[s.rec.result.Subtype] == Budget {
		wait = 0
	}
	s.linger = time.AfterFunc(wait, func() { s.cancel(errLingers) })
}

// finish returns the record, after the CLI has ended.
func (s *stdout) finish() *record {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counts() {
		s.endLine() // a last line may lack its end
		if s.reader != nil {
			s.reader.End(func(said []byte) { s.rec.line(said, s.emit) })
		}
	}
	s.held = nil
	for _, t := range []*time.Timer{s.silent, s.linger} {
		if t != nil {
			t.Stop()
		}
	}
	s.done = true
	return &s.rec
}

// A tail keeps the end of what the CLI prints on stderr.
type tail struct {
	touch func()
	kept  []byte
	cut   bool // there was more before
}

// maxTail is more than an error message has.
const maxTail = 8 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.touch()
	t.cut = t.cut || len(t.kept)+len(p) > maxTail
	t.kept = append(t.kept, p[max(len(p)-maxTail, 0):]...)
	if over := len(t.kept) - maxTail; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(p), nil
}

// text returns what was kept. What is left of a word whose beginning is lost is not
// shown: it may be a part of a secret, which nobody would know for one.
func (t *tail) text() string {
	text := string(t.kept)
	if t.cut {
		text = text[strings.IndexFunc(text, unicode.IsSpace)+1:]
	}
	return text
}

// transcript opens the file for an attempt's transcript, nil if none is wanted.
// The previous attempt's, if there was one, gets its number.
func (a *ask) transcript() (*os.File, error) {
	if a.req.Transcript == "" {
		return nil, nil
	}
	info, err := os.Stat(a.req.Transcript)
	if n := len(a.reply.Attempts); n > 0 && err == nil && info.Mode().IsRegular() {
		if err := os.Rename(a.req.Transcript, a.req.Transcript+"."+strconv.Itoa(n)); err != nil {
			return nil, fmt.Errorf("%s: %w", a.req.Transcript, failedWrite(err))
		}
	}
	if err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		return nil, fmt.Errorf("%s: a pipe, want a file: a stalled reader would stall everything", a.req.Transcript)
	}
	// Only for the owner: a transcript has everything that Claude saw.
	f, err := os.OpenFile(a.req.Transcript, os.O_WRONLY|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such folder", a.req.Transcript)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", a.req.Transcript, failedWrite(err))
	}
	return f, nil
}
