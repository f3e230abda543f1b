package realclaude

import (
	"path/filepath"
	"testing"

	"github.com/skillhand/skillhand/internal/claudecode"
	"github.com/skillhand/skillhand/internal/test/npm"
)

// Version is the CLI that tests are written against.
const Version = claudecode.Version

// Program returns the path of the pinned CLI; see npm.Bin.
func Program(t testing.TB) string {
	t.Helper()
	return filepath.Join(npm.Bin(t, npm.Claude), npm.Claude.Name)
}
