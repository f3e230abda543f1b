package mcp

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/skillhand/skillhand"
	"github.com/skillhand/skillhand/skill"
)

// isStatic reports whether a skill's page equals its text, byte for byte: nothing is filled in, and
// no other file contributes.
func isStatic(e *entry, source *skill.Skill) bool {
	return e.listed.IsMain() && !bound(e) &&
		!slices.ContainsFunc(source.Parts, func(p skill.Part) bool { return p.Kind != skill.Text && p.Kind != skill.Header })
}

// bound reports whether a bindings.json beside the skill makes it strict about variables.
func bound(e *entry) bool {
	_, err := os.Lstat(filepath.Join(filepath.Dir(e.listed.File), "bindings.json"))
	return !os.IsNotExist(err)
}

// statics caches pages that are made from a single file, as long as that file does not change.
type statics struct {
	mu    sync.Mutex
	known map[string]static
}

type static struct {
	info fs.FileInfo
	page *skillhand.Page
}

// The limits of the cache of pages.
const (
	maxStatics     = 100
	maxStaticBytes = 100 << 10
)

func (s *statics) get(e entry) *skillhand.Page {
	s.mu.Lock()
	have, ok := s.known[e.listed.File]
	s.mu.Unlock()
	if !ok || bound(&e) {
		return nil
	}
	if info, err := os.Stat(e.listed.File); err != nil || !unchanged(have.info, info) {
		return nil
	}
	return have.page
}

// put caches a page. info describes the page's file before the page was made.
func (s *statics) put(e entry, info fs.FileInfo, page *skillhand.Page) {
	if info == nil || len(page.Text) > maxStaticBytes || len(page.Directives) > 0 || time.Since(info.ModTime()) < fresh {
		return
	}
	source, err := skill.Read(e.listed.Location)
	if err != nil || !isStatic(&e, source) {
		return
	}
	if now, err := os.Stat(e.listed.File); err != nil || !unchanged(info, now) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known) >= maxStatics || s.known == nil {
		s.known = map[string]static{}
	}
	s.known[e.listed.File] = static{info, page}
}

// fresh is the age below which a file's time does not prove that the file is unchanged. Two writes
// within a tick of the clock look the same.
const fresh = 2 * time.Second

func unchanged(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
