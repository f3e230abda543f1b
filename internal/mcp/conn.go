package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The limits on what one client may have waiting here at once.
const (
	maxMessage = 32 << 20 // bytes of one message; enough for a quoted argument of 10 MB
	maxCalls   = 2048
	maxWaiting = 128 << 20 // bytes of all unanswered messages and of all answers that the client has not read
	maxUnread  = 4 << 20   // bytes of answers that the client has not read; from here on no further answer is made
)

// copies is how many copies of a message are in memory while it is answered: as received, decoded,
// as an argument, on the page, encoded.
const copies = 4

// lastAnswers limits how long a client that has closed its input still gets answers. A single line
// piped into the server needs that.
const lastAnswers = 2 * time.Second

// A conn carries messages, one per line. Unlike the SDK's own connection it goes on after a bad
// line, which it answers. It limits what waits for an answer. It refuses anything above the limit
// at once, so that it always sees when the client ends.
type conn struct {
	lines  chan line
	out    io.Writer
	closed chan struct{}
	end    <-chan struct{} // closed when the server must stop
	once   sync.Once

	writing sync.Mutex

	mu      sync.Mutex
	calls   map[jsonrpc.ID]int // the memory that each unanswered call takes
	waiting int                // the memory that they take together
	unread  int                // bytes of answers that wait to be written
	written chan struct{}      // closed when an answer has been written
	quiet   chan struct{}      // closed when no call waits for an answer; nil unless somebody waits for that
}

type line struct {
	text []byte
	err  error // why there are no more lines, or errTooLong
}

var errTooLong = errors.New("a message is too long")

// A transport gives the SDK a connection.
type transport struct{ conn *conn }

func (t *transport) Connect(context.Context) (sdk.Connection, error) { return t.conn, nil }

func newConn(ctx context.Context, in io.Reader, out io.Writer) *conn {
	c := &conn{lines: make(chan line), out: out, closed: make(chan struct{}), end: ctx.Done(),
		calls: map[jsonrpc.ID]int{}, written: make(chan struct{})}
	go c.readLines(bufio.NewReaderSize(in, 64<<10))
	return c
}

// readLines reads lines until the input ends.
func (c *conn) readLines(in *bufio.Reader) {
	for {
		text, err := readLine(in)
		select {
		case c.lines <- line{text, err}:
		case <-c.closed:
			return
		}
		if err != nil && !errors.Is(err, errTooLong) {
			return
		}
	}
}

// readLine reads a line of up to maxMessage bytes. It drops a longer line and returns errTooLong.
func readLine(in *bufio.Reader) ([]byte, error) {
	var text []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(text)+len(part) > maxMessage; long {
			text = nil
		} else {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil && long:
			return nil, errTooLong
		case errors.Is(err, io.EOF) && (long || len(bytes.TrimSpace(text)) > 0):
			return nil, io.ErrUnexpectedEOF
		default:
			return text, err
		}
	}
}

// Read returns the next valid message that there is room for. It answers the others with an error.
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		var l line
		select {
		case l = <-c.lines:
		case <-c.end:
			return nil, io.EOF // the same end cancels the calls in progress
		case <-c.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		msg, refusal, err := c.accept(l)
		if errors.Is(err, io.EOF) {
			c.answerLast(ctx)
		}
		if refusal != nil {
			err = c.write(refusal)
		}
		if msg != nil || err != nil {
			return msg, err
		}
	}
}

// answerLast waits until all calls are answered, but no longer than lastAnswers.
func (c *conn) answerLast(ctx context.Context) {
	quiet := make(chan struct{})
	c.mu.Lock()
	if len(c.calls) == 0 {
		close(quiet)
	} else {
		c.quiet = quiet
	}
	c.mu.Unlock()
	select {
	case <-quiet:
	case <-time.After(lastAnswers):
	case <-c.end:
	case <-c.closed:
	case <-ctx.Done():
	}
}

// accept decodes a line, or returns the error to answer instead.
func (c *conn) accept(l line) (msg jsonrpc.Message, refusal []byte, err error) {
	switch text := bytes.TrimSpace(l.text); {
	case errors.Is(l.err, errTooLong):
		return nil, refuse(jsonrpc.CodeInvalidRequest, "a message of more than %d MB", maxMessage>>20), nil
	case l.err != nil:
		return nil, nil, l.err
	case len(text) == 0:
		return nil, nil, nil
	case text[0] == '[':
		return nil, refuse(jsonrpc.CodeInvalidRequest, "messages in an array: send them one by one"), nil
	}
	msg, err = jsonrpc.DecodeMessage(l.text)
	if err != nil {
		return nil, refuse(jsonrpc.CodeParseError, "not a message: %v", err), nil
	}
	req, ok := msg.(*jsonrpc.Request)
	if !ok || !req.IsCall() || c.take(req.ID, len(l.text)) {
		return msg, nil, nil
	}
	refusal, err = jsonrpc.EncodeMessage(&jsonrpc.Response{ID: req.ID, Error: &jsonrpc.Error{
		Code: codeBusy, Message: "too much at once: read the answers to earlier calls first",
	}})
	return nil, refusal, err
}

// codeBusy is in the range that JSON-RPC leaves to servers.
const codeBusy = -32000

// refuse returns an error response to a message whose id is unknown.
func refuse(code int, format string, args ...any) []byte {
	message, _ := json.Marshal(fmt.Sprintf(format, args...)) // a string always has a JSON form
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%s}}`, code, message)
}

// take counts a call and reports whether there is room for it.
func (c *conn) take(id jsonrpc.ID, size int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, twice := c.calls[id]; twice {
		return true // the SDK refuses it
	}
	if size *= copies; len(c.calls) > 0 && (len(c.calls) == maxCalls || c.waiting+c.unread+size > maxWaiting) {
		return false
	}
	c.calls[id] = size
	c.waiting += size
	return true
}

// awaitReader waits while the client leaves many answers unread.
func (c *conn) awaitReader(ctx context.Context) error {
	for {
		c.mu.Lock()
		unread, written := c.unread, c.written
		c.mu.Unlock()
		if unread < maxUnread {
			return nil
		}
		select {
		case <-written:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Write sends a message. An answer makes room for another call.
func (c *conn) Write(_ context.Context, msg jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	err = c.write(text)
	if res, ok := msg.(*jsonrpc.Response); ok {
		c.mu.Lock()
		c.waiting -= c.calls[res.ID]
		delete(c.calls, res.ID)
		if len(c.calls) == 0 && c.quiet != nil {
			close(c.quiet)
			c.quiet = nil
		}
		c.mu.Unlock()
	}
	return err
}

func (c *conn) write(text []byte) error {
	c.mu.Lock()
	c.unread += len(text)
	c.mu.Unlock()
	c.writing.Lock()
	_, err := c.out.Write(append(text, '\n'))
	c.writing.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unread -= len(text)
	close(c.written)
	c.written = make(chan struct{})
	return err
}

func (c *conn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

func (c *conn) SessionID() string { return "" }
