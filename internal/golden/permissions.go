package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/skillhand/skillhand/internal/files"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/may"
)

// PermissionsFile holds the tests of a project's shared settings.
const PermissionsFile = ".claude/permissions.test"

// Permissions runs the tests of the settings that the project shares. It returns nil if there are
// none.
func Permissions(h here.Here) *Result {
	began := time.Now()
	file := filepath.Join(h.Project, filepath.FromSlash(PermissionsFile))
	if _, err := os.Lstat(file); err != nil {
		return nil
	}
	r := &Result{Skill: ".claude/settings.json", File: file, Checks: []Check{}}
	src, err := files.ReadFile(file)
	var cases []may.Case
	if err == nil {
		cases, err = may.ParseCases(PermissionsFile, string(src))
	}
	if err != nil {
		r.Error = err.Error()
		return r
	}
	w := h.Settings()
	w.Dir = h.Project
	place := may.Shared(w)
	for _, fault := range place.Files.Faults {
		r.Error += fault.Error() + "\n"
	}
	for _, c := range cases {
		diff := place.Try(c)
		r.Checks = append(r.Checks, Check{Name: fmt.Sprintf("line %d", c.Line), OK: diff == "", Diff: diff})
	}
	r.OK = r.Error == "" && !slices.ContainsFunc(r.Checks, func(c Check) bool { return !c.OK })
	r.DurationMS = float64(time.Since(began).Microseconds()) / 1000
	return r
}
