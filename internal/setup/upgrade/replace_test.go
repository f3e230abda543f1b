package upgrade

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestReplaceFails: where the new program cannot be written, the old one is still there.
func TestReplaceFails(t *testing.T) {
	for _, system := range []string{"linux", "windows"} {
		file := filepath.Join(t.TempDir(), "skillhand")
		if err := os.WriteFile(file, []byte("old"), 0o755); err != nil {
			t.Fatal(err)
		}
		full := errors.New("the disk is full")
		if err := replace(file, system, func(string) error { return full }); !errors.Is(err, full) {
			t.Errorf("%s: the error is %v", system, err)
		}
		if text, err := os.ReadFile(file); string(text) != "old" {
			t.Errorf("%s: the program is %q, %v", system, text, err)
		}
	}
}
