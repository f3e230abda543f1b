package realclaude

import (
	"path/filepath"
	"testing"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/test"
)

// Version is the version of the CLI that the tests use.
const Version = claudecode.Version

// Program returns the path of the pinned CLI; see test.Bin.
func Program(t testing.TB) string {
	t.Helper()
	return filepath.Join(test.Bin(t, test.Claude), test.Claude.Name)
}
