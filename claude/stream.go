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

// lingering is how long the CLI may still run after it gave its result.
const lingering = 5 * time.Second

// A stdout reads what the CLI prints. All of it goes to the transcript, and its lines to the
// record. When the CLI is silent for too long or does not end after its result, stdout cancels ctx,
// which stops the CLI.
type stdout struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	file    *os.File // nil means no transcript
	emptied bool
	idle    time.Duration
	emit    func(Event)
	reader  Reader // for another agent's stream; nil means Claude Code's

	mu      sync.Mutex
	silent  *time.Timer // nil means no idle timeout
	linger  *time.Timer
	done    bool
	held    []byte // the unfinished line
	skipped bool   // the unfinished line is not kept
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

// counts reports whether what the CLI prints now is still part of its answer. While the CLI is
// being stopped, it is not. The context knows that first. Asking the context needs no lock, which a
// listener may hold.
func (s *stdout) counts() bool { return !s.done && s.ctx.Err() == nil }

// touch records that the CLI is alive.
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

// empty removes the old content of the transcript's file. It waits until the CLI has started, so
// that the old transcript survives when the CLI cannot be started.
func (s *stdout) empty() {
	if s.file != nil && !s.emptied {
		s.emptied = true
		_ = s.file.Truncate(0) // a device or pipe has no content to remove
	}
}

// worthSkipping is the length from which an unimportant line is not kept.
const worthSkipping = 1 << 20

// These limit the length of a line that is kept: of a result, which has the answer, and of any
// other line. Tests set lower limits.
var maxResult, maxHeld = 128 << 20, 8 << 20

// take cuts p into lines. Only an unfinished line is kept.
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

// more appends to the unfinished line.
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
		if s.skipped = true; s.reader == nil { // no important event of another agent is that long
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

// event reads an event of the CLI. It translates an event of another agent first.
func (s *stdout) event(line []byte) {
	if s.reader == nil {
		s.rec.line(line, s.emit)
		return
	}
	s.reader.Line(line, func(said []byte) { s.rec.line(said, s.emit) })
}

// line runs take, which reads one line. After a result the CLI has a short time to end, and no time
// if we stop it to save money.
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
		s.endLine() // the last line may lack its newline
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

// A tail keeps the end of the CLI's stderr.
type tail struct {
	touch func()
	kept  []byte
	cut   bool // the beginning is missing
}

// maxTail is longer than any error message.
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

// text returns what was kept, from the first whole word. The rest of a word whose beginning is
// missing may be a part of a secret, which nobody would recognize.
func (t *tail) text() string {
	text := string(t.kept)
	if t.cut {
		text = text[strings.IndexFunc(text, unicode.IsSpace)+1:]
	}
	return text
}

// transcript opens the file for an attempt's transcript, or returns nil if the request names no
// file. It renames the previous attempt's file to end in its number.
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
	// Only the owner may read it: a transcript has everything that Claude saw.
	f, err := os.OpenFile(a.req.Transcript, os.O_WRONLY|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such folder", a.req.Transcript)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", a.req.Transcript, failedWrite(err))
	}
	return f, nil
}
