package mcp

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/skillhand/skillhand/internal/paths"
)

// settle is how long files must be at rest before a change is told: an editor's
// save is several events, a checkout thousands.
const settle = 100 * time.Millisecond

// tick is how far the time of a file may be behind the clock.
const tick = 20 * time.Millisecond

// maxWatched bounds the folders that are watched: systems give out few watches.
const maxWatched = 4096

// watch tells clients when the skills that are listed change, until stop is
// called. Where files cannot be watched nothing is told; lists are right anyway.
func (sv *serving) watch(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		w, err := fsnotify.NewWatcher()
		if err != nil {
			sv.warn("changes of files are not told: %v", err)
			return
		}
		defer w.Close()
		(&watcher{serving: sv, files: w}).follow(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

type watcher struct {
	*serving
	files  *fsnotify.Watcher
	places []string // folders in which a change counts
	last   [sha256.Size]byte
	newest time.Time // when the youngest of the files and folders was changed
}

// follow waits for files to change and come to rest.
func (w *watcher) follow(ctx context.Context) {
	// Whoever asks for one list asks for all of them. They come first.
	began := time.Now().Add(-tick)
	select {
	case <-ctx.Done():
		return
	case <-time.After(settle):
	}
	if w.look(); w.newest.After(began) {
		w.changed()
	}
	var rest <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case ev := <-w.files.Events:
			if rest == nil && ev.Op != fsnotify.Chmod && w.counts(ev.Name) {
				rest = time.After(settle)
			}
		case <-w.files.Errors: // too many events at once: then look, too
			if rest == nil {
				rest = time.After(settle)
			}
		case <-rest:
			rest = nil
			if w.look() {
				w.changed()
			}
		}
	}
}

// counts reports whether a file that changed can be one of a skill's, or a
// folder on the way to them. A project's other files change all the time.
func (w *watcher) counts(file string) bool {
	return slices.ContainsFunc(w.places, func(dir string) bool { return paths.Inside(dir, file) || paths.Inside(file, dir) })
}

// look watches every folder that holds skills or could come to, and reports
// whether what is listed has changed.
func (w *watcher) look() bool {
	finder, h := w.here.Finder(), sha256.New()
	found, _ := finder.List()
	policy := w.policy.Now()
	w.places = append(finder.Folders(), w.policy.Store.Dir) // a folder may be trusted now, or no longer
	want := map[string]bool{}
	for _, root := range w.places {
		// It may not be there yet: .claude, or .claude/skills.
		for _, dir := range []string{root, filepath.Dir(root), filepath.Dir(filepath.Dir(root))} {
			want[dir] = true
		}
	}
	for _, loc := range found {
		dir := filepath.Dir(loc.File)
		if len(want) < maxWatched {
			want[dir] = true
		}
		w.places = append(w.places, dir)
		info, err := os.Stat(loc.File)
		fmt.Fprintln(h, loc.File, policy.May(loc.File) == nil, err)
		if err == nil {
			fmt.Fprintln(h, info.Size(), info.ModTime().UnixNano())
			w.seen(info)
		}
	}
	for _, dir := range w.places {
		if info, err := os.Stat(dir); err == nil {
			w.seen(info)
		}
	}
	w.watchOnly(want)
	last := w.last
	h.Sum(w.last[:0])
	return w.last != last
}

func (w *watcher) seen(info fs.FileInfo) {
	if info.ModTime().After(w.newest) {
		w.newest = info.ModTime()
	}
}

// watchOnly watches these folders, as far as they are there, and no others.
func (w *watcher) watchOnly(want map[string]bool) {
	have := map[string]bool{}
	for _, dir := range w.files.WatchList() {
		if have[dir] = want[dir]; !want[dir] {
			_ = w.files.Remove(dir) // it is gone, or about to be
		}
	}
	for dir := range want {
		if info, err := os.Stat(dir); have[dir] || err != nil || !info.IsDir() {
			continue
		}
		if err := w.files.Add(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			w.warn("%s: changes are not told: %v", dir, err)
		}
	}
}
