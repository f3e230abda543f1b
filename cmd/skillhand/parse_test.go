package main

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/skillhand/skillhand/internal/cli"
)

// TestParseWaits: nothing is printed before there is something to print, the table's head included.
func TestParseWaits(t *testing.T) {
	in, silent := io.Pipe()
	defer silent.Close()
	var out bytes.Buffer
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := runParse(ctx, &cli.Std{In: in, Out: &out, Err: io.Discard}, parseOptions{}, nil)
	if err == nil || out.Len() > 0 {
		t.Errorf("printed %q before any input came; error %v", out.String(), err)
	}
}
