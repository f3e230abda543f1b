// Package watch answers two questions of a server on this machine: which of the watched paths have
// changed, and may this HTTP request reach it?
package watch

import (
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/skillhand/skillhand/internal/files"
)

// A Watcher reports changes of paths to all listeners. It watches folders, not files, because
// editors save by putting another file in the old one's place.
type Watcher struct {
	files   *fsnotify.Watcher
	options Options

	mu      sync.Mutex
	folders map[string]*folder
	looks   int // calls of Add so far
	count   int // news so far
	pending map[string]bool
	readers map[chan News]bool
	timer   *time.Timer
}

// Options set the limits of a Watcher.
type Options struct {
	Max    int                         // how many folders to watch; the one added longest ago goes first
	Settle time.Duration               // how long to collect changes: an editor's save is several events, a checkout thousands
	Warn   func(dir string, err error) // called for a folder that cannot be watched; may be nil
}

// A folder is watched for the sake of paths at or below it.
type folder struct {
	look  int               // the number of the last Add that concerned it
	paths map[string]string // the entry that each path depends on; "" for all entries
}

// News says that a path has changed. Someone who reads the path after news number n sees that
// change.
type News struct {
	Number int
	Path   string // Anything if any path may have changed
}

// Anything is the path of news that may concern every path.
const Anything = "*"

// New starts a Watcher that watches nothing yet.
func New(options Options) (*Watcher, error) {
	files, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	w := &Watcher{files: files, options: options, folders: map[string]*folder{}, readers: map[chan News]bool{}, pending: map[string]bool{}}
	w.timer = time.AfterFunc(time.Hour, w.tell)
	w.timer.Stop()
	go w.run()
	return w, nil
}

// Close stops watching. Channels stay open but receive nothing more.
func (w *Watcher) Close() {
	_ = w.files.Close() // nothing depends on its end
	w.timer.Stop()
}

// Add watches paths from now on. For a folder it reports any change in the folder, for anything
// else a change of the path itself. A path that does not exist yet is watched too. Add reports
// whether at least one path was not watched before.
func (w *Watcher) Add(all ...string) (fresh bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looks++
	for _, path := range all {
		if path == "" {
			continue
		}
		if files.IsFolder(path) {
			fresh = w.watch(path, path, "") || fresh
		}
		dir, name := filepath.Dir(path), filepath.Base(path)
		for dir != filepath.Dir(dir) && !files.IsFolder(dir) {
			dir, name = filepath.Dir(dir), filepath.Base(dir)
		}
		fresh = w.watch(path, dir, name) || fresh
	}
	return fresh
}

// watch watches one entry of a folder, or all of them if name is "", on behalf of path. It reports
// whether that is new.
func (w *Watcher) watch(path, dir, name string) bool {
	if err := w.files.Add(dir); err != nil { // add it again, because the path may be another folder by now
		if w.options.Warn != nil && !os.IsNotExist(err) {
			w.options.Warn(dir, err)
		}
		return false
	}
	f := w.folders[dir]
	if f == nil {
		f = &folder{paths: map[string]string{}}
		w.folders[dir] = f
	}
	f.look = w.looks
	was, known := f.paths[path]
	f.paths[path] = name
	w.makeRoom()
	return !known || was != name
}

// makeRoom forgets the folder that was added longest ago, if there are too many.
func (w *Watcher) makeRoom() {
	if len(w.folders) <= w.options.Max {
		return
	}
	oldest := ""
	for dir, f := range w.folders {
		if oldest == "" || f.look < w.folders[oldest].look {
			oldest = dir
		}
	}
	delete(w.folders, oldest)
	_ = w.files.Remove(oldest) // it may be gone already
}

// Last returns the number of the last news.
func (w *Watcher) Last() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count
}

func (w *Watcher) run() {
	for {
		select {
		case e, ok := <-w.files.Events:
			if !ok {
				return
			}
			if e.Op != fsnotify.Chmod {
				w.changed(e.Name)
			}
		case _, ok := <-w.files.Errors:
			if !ok {
				return
			}
			w.changed(Anything) // events were lost
		}
	}
}

// changed notes which watched paths a changed file concerns.
func (w *Watcher) changed(file string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := len(w.pending)
	if file == Anything {
		w.pending[Anything] = true
	} else if f := w.folders[filepath.Dir(file)]; f != nil {
		for path, name := range f.paths {
			if name == "" || name == filepath.Base(file) {
				w.pending[path] = true
			}
		}
	}
	if before == 0 && len(w.pending) > 0 { // later changes do not postpone the news, because they may never end
		w.timer.Reset(w.options.Settle)
	}
}

// tell sends the changed paths to all listeners. A listener that does not keep up gets Anything
// later.
func (w *Watcher) tell() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for path := range w.pending {
		w.count++
		for r := range w.readers {
			select {
			case r <- News{w.count, path}:
			default:
				select {
				case <-r:
				default:
				}
				r <- News{w.count, Anything}
			}
		}
	}
	clear(w.pending)
}

// Listen returns the news from now on. The first news is Anything with the latest number so far.
func (w *Watcher) Listen() (from <-chan News, stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := make(chan News, 64)
	c <- News{w.count, Anything}
	w.readers[c] = true
	return c, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.readers, c)
	}
}

// Listeners returns how many listeners there are.
func (w *Watcher) Listeners() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.readers)
}
