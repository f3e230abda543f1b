package lsp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxMessage limits the length of a message in bytes.
const maxMessage = 64 << 20

// maxHeader limits the length of a message's header in bytes.
const maxHeader = 8 << 10

// A framing sends and receives messages with a Content-Length header. It is a channel.Channel.
type framing struct {
	in  *bufio.Reader
	out io.Writer
}

func newFraming(in io.Reader, out io.Writer) *framing {
	return &framing{in: bufio.NewReaderSize(in, maxHeader), out: out}
}

// Send writes one message.
func (f *framing) Send(message []byte) error {
	_, err := f.out.Write(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(message)), message...))
	return err
}

// Recv reads one message. If the stream ends between two messages, it returns io.EOF.
func (f *framing) Recv() ([]byte, error) {
	length := -1
	for read := 0; ; {
		line, err := f.in.ReadSlice('\n')
		read += len(line)
		switch {
		case errors.Is(err, io.EOF) && read == 0:
			return nil, io.EOF
		case errors.Is(err, bufio.ErrBufferFull) || read > maxHeader:
			return nil, fmt.Errorf("a message's header has more than %d bytes", maxHeader)
		case err != nil:
			return nil, fmt.Errorf("a message's header was cut off: %w", err)
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			break
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return nil, fmt.Errorf("a message's header has the line %.40q: want NAME: VALUE", text)
		}
		if !strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			continue
		}
		if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || length < 0 || length > maxMessage {
			return nil, fmt.Errorf("a message's Content-Length is %.40s: want 0 to %d", strings.TrimSpace(value), maxMessage)
		}
	}
	if length < 0 {
		return nil, errors.New("a message's header has no Content-Length")
	}
	message := make([]byte, length)
	if _, err := io.ReadFull(f.in, message); err != nil {
		return nil, fmt.Errorf("a message was cut off: %w", err)
	}
	return message, nil
}

// Close does nothing, because the caller owns the streams.
func (f *framing) Close() error { return nil }
