package shell

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// call runs a built-in. It returns when the line ends, even if the built-in does not. What the
// built-in prints after that is lost.
func (r *running) call(name string, f Func, args []string, std Std) int {
	if std.In == nil {
		std.In = strings.NewReader("")
	}
	var gates []*gate
	same := std.Out == std.Err
	std.Out, gates = behindGate(std.Out, gates)
	if same {
		std.Err = std.Out
	} else {
		std.Err, gates = behindGate(std.Err, gates)
	}
	done := make(chan int, 1)
	go func() {
		exit, returned := 1, false
		defer func() {
			if p := recover(); p != nil {
				fmt.Fprintf(std.Err, "%s: panic: %v\n", name, p)
			} else if !returned {
				fmt.Fprintf(std.Err, "%s: ended without an exit status\n", name)
			}
			done <- exit
		}()
		exit = int(uint8(f(r.ctx, args, std)))
		returned = true
	}()
	select {
	case exit := <-done:
		if r.ctx.Err() != nil {
			r.cut.Store(true) // the built-in was asked to stop, and did
		}
		return exit
	case <-r.ctx.Done():
		for _, g := range gates {
			g.shut()
		}
		r.cut.Store(true)
		return 1
	}
}

// A gate lets writes through until it is shut.
type gate struct {
	mu sync.Mutex
	to io.Writer // nil once shut
}

// behindGate puts a gate before w. A file needs no gate: it is closed when the command ends, which
// also frees a writer that waits for a reader.
func behindGate(w io.Writer, gates []*gate) (io.Writer, []*gate) {
	if _, ok := w.(*os.File); ok {
		return w, gates
	}
	g := &gate{to: w}
	return g, append(gates, g)
}

func (g *gate) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.to == nil {
		return 0, os.ErrClosed
	}
	return g.to.Write(p)
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.to = nil
}
