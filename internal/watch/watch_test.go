package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestWatch checks that folders and files have news, even if they appear, vanish and appear again.
// Other files have none.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	w, err := New(Options{Max: 50, Settle: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	deep, file := filepath.Join(dir, "a", "b", "c"), filepath.Join(dir, "file")
	if !w.Add(deep, file, "") || w.Add(deep, file, "") {
		t.Error("Add says wrongly what is new")
	}
	from, stop := w.Listen()
	defer stop()
	<-from
	after := func(want string, acts ...func() error) { // one act may cause several news
		t.Helper()
		last := w.Last()
		for _, act := range acts {
			if err := act(); err != nil {
				t.Fatal(err)
			}
		}
		for n := range from {
			if n.Path != deep && n.Path != file {
				t.Fatalf("news of %s", n.Path)
			}
			if n.Path == want && n.Number > last {
				break
			}
		}
		w.Add(deep)
	}
	write := func(file string) func() error { return func() error { return os.WriteFile(file, nil, 0o666) } }
	make := func(dir string) func() error { return func() error { return os.Mkdir(dir, 0o777) } }
	after(deep, write(filepath.Join(dir, "other")), make(filepath.Join(dir, "a")))
	after(deep, make(filepath.Join(dir, "a", "b")))
	after(deep, make(deep))
	after(deep, write(filepath.Join(deep, "x")))
	after(file, write(file))
	after(deep, func() error { return os.RemoveAll(deep) })
	after(deep, make(deep))
	after(deep, write(filepath.Join(deep, "y")))
	for i := range w.options.Max + 10 {
		sub := filepath.Join(dir, "many", fmt.Sprint(i))
		if err := os.MkdirAll(sub, 0o777); err != nil {
			t.Fatal(err)
		}
		w.Add(sub)
	}
	if len(w.folders) > w.options.Max {
		t.Errorf("%d folders are watched", len(w.folders))
	}
}
