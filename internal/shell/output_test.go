package shell

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOutput(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	for _, size := range []int{0, 1, inMemory - 1, inMemory, inMemory + 1, 3*inMemory + 7} {
		want := []byte(strings.Repeat("0123456789", size/10+1)[:size])
		var o Output
		for rest := want; len(rest) > 0; {
			n, err := o.Write(rest[:min(len(rest), 1000)])
			if err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if o.Len() != int64(size) || o.String() != string(want) {
			t.Errorf("of %d bytes, %d came back", size, o.Len())
		}
		for _, n := range []int{0, 10, inMemory, inMemory + 1, size + 10} {
			if got := o.Head(n); !bytes.Equal(got, want[:min(n, size)]) {
				t.Errorf("Head(%d) of %d bytes has %d", n, size, len(got))
			}
		}
		var b bytes.Buffer
		if n, err := o.WriteTo(&b); n != int64(size) || err != nil || !bytes.Equal(b.Bytes(), want) {
			t.Errorf("WriteTo of %d bytes wrote %d, error %v", size, n, err)
		}
		if err := o.Close(); err != nil {
			t.Error(err)
		}
		if _, err := o.Write([]byte("x")); !errors.Is(err, os.ErrClosed) {
			t.Errorf("a closed Output takes bytes: %v", err)
		}
		if files, _ := os.ReadDir(temp); len(files) != 0 {
			t.Errorf("%d bytes left %v", size, files)
		}
	}
}

func TestNoOutput(t *testing.T) {
	var o *Output
	if o.Len() != 0 || o.String() != "" || o.Head(5) != nil || o.Close() != nil {
		t.Error("a nil Output is not empty")
	}
	if n, err := o.WriteTo(nil); n != 0 || err != nil {
		t.Errorf("WriteTo of a nil Output wrote %d, error %v", n, err)
	}
}

// TestNowhereToSpill checks that a line ends if its output cannot be stored, and reports why.
func TestNowhereToSpill(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "nofolder"))
	r := run(t, &Shell{}, code("head -c 1000000 /dev/zero"))
	if r.Exit == 0 || !strings.HasPrefix(r.Reason, "its output could not be saved: ") || r.Stdout.Len() != inMemory {
		t.Errorf("exit %d, reason %q, %d bytes; want a reason and what fits", r.Exit, r.Reason, r.Stdout.Len())
	}
}
