package mcp

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/skillhand/skillhand/internal/watch"
)

// settle is how long changes are collected before clients are notified.
const settle = 100 * time.Millisecond

// tick is how far the time of a file may lag behind the clock.
const tick = 20 * time.Millisecond

// maxWatched limits how many folders are watched, because systems allow few watches.
const maxWatched = 4096

// watch notifies clients when the listed skills change, until stop is called. If files cannot be
// watched, clients are not notified, but their lists are still right.
func (sv *serving) watch(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		w, err := watch.New(watch.Options{Max: maxWatched, Settle: settle, Warn: func(dir string, err error) {
			sv.warn("%s: clients are not notified of changes: %v", dir, err)
		}})
		if err != nil {
			sv.warn("clients are not notified of changes: %v", err)
			return
		}
		defer w.Close()
		(&watcher{sv: sv, files: w}).follow(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

type watcher struct {
	sv     *serving
	files  *watch.Watcher
	last   [sha256.Size]byte
	newest time.Time // the latest time of any of the files and folders
}

// follow waits until files have changed and settled, and then notifies clients.
func (w *watcher) follow(ctx context.Context) {
	from, stop := w.files.Listen()
	defer stop()
	<-from
	// A client that asks for one list asks for all of them. Let it finish first.
	began := time.Now().Add(-tick)
	select {
	case <-ctx.Done():
		return
	case <-time.After(settle):
	}
	if w.look(); w.newest.After(began) {
		w.sv.changed()
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-from:
			for len(from) > 0 { // one look covers all of them
				<-from
			}
			if w.look() {
				w.sv.changed()
			}
		}
	}
}

// look watches every folder that holds skills or may hold some later. It reports whether the listed
// skills have changed.
func (w *watcher) look() bool {
	finder, h := w.sv.here.Finder(), sha256.New()
	found, _ := finder.List()
	policy := w.sv.policy.Now()
	folders := append(finder.Folders(), w.sv.policy.Store.Dir) // a folder may have become trusted or untrusted
	for _, loc := range found {
		folders = append(folders, filepath.Dir(loc.File))
		info, err := os.Stat(loc.File)
		fmt.Fprintln(h, loc.File, policy.May(loc.File) == nil, err)
		if err == nil {
			fmt.Fprintln(h, info.Size(), info.ModTime().UnixNano())
			w.seen(info)
		}
	}
	w.files.Add(folders...)
	for _, dir := range folders {
		if info, err := os.Stat(dir); err == nil {
			w.seen(info)
		}
	}
	last := w.last
	h.Sum(w.last[:0])
	return w.last != last
}

func (w *watcher) seen(info fs.FileInfo) {
	if info.ModTime().After(w.newest) {
		w.newest = info.ModTime()
	}
}
