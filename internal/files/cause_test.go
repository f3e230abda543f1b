package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestOf(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	_, path := os.Stat(none)
	other := errors.New("other")
	for _, tt := range []struct{ err, want error }{
		{path, path.(*fs.PathError).Err},
		{fmt.Errorf("around: %w", path), path.(*fs.PathError).Err},
		{os.Rename(none, none+"2"), path.(*fs.PathError).Err},
		{other, other},
		{nil, nil},
	} {
		if got := Cause(tt.err); got != tt.want {
			t.Errorf("Of(%v) = %v, want %v", tt.err, got, tt.want)
		}
	}
}
