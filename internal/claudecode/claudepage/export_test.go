package claudepage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// For tests outside the package, which can import what imports it.
var Write = write

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		text = strings.Replace(text, "\u00EF\u00BB\u00BF", "\uFEFF", 1) // the recorder's way to write a byte order mark
		mode := os.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
}
