// Package watch answers two questions of a server on this machine: which of the paths that somebody looks at have changed, and may
// this HTTP request reach it?
package watch

import (
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/skillhand/skillhand/internal/files"
)

// A Watcher passes on changes of paths to all who listen. It watches folders, not files:
// editors save by putting another file in the old one's place.
type Watcher struct {
	files   *fsnotify.Watcher
	options Options

	mu      sync.Mutex
	folders map[string]*folder
	looks   int // so far
	count   int // of news
	pending map[string]bool
	readers map[chan News]bool
	timer   *time.Timer
}

// Options bound a Watcher.
type Options struct {
	Max    int                         // folders that are watched: those that were added last
	Settle time.Duration               // how long to gather changes: an editor's save is several events, a checkout thousands
	Warn   func(dir string, err error) // is called for a folder that cannot be watched; nil: nothing is
}

// A folder is watched for the sake of paths at or below it.
type folder struct {
	look  int               // the last that was about it
	paths map[string]string // each with the name of the entry that it is about, "" for any
}

// News says that a path has changed. Whoever read the path after news number n has it.
type News struct {
	Number int
	Path   string // Anything for any
}

// Anything is the path of news that may be about every path.
const Anything = "*"

// New starts a watcher of nothing.
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

// Close ends the watching. Channels stay open, and silent.
func (w *Watcher) Close() {
	_ = w.files.Close() // nobody waits for its end
	w.timer.Stop()
}

// Add watches paths from now on: a folder for whatever happens in it, anything
// else for itself. A path that does not exist yet is waited for. Add reports
// whether one of them was not watched before.
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

// watch watches one entry of a folder, or all, for the sake of a path, and reports whether that is new.
func (w *Watcher) watch(path, dir, name string) bool {
	if err := w.files.Add(dir); err != nil { // again, should it be another folder by now
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

// changed notes which paths a change of a file is about.
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
	if before == 0 && len(w.pending) > 0 { // later changes do not put it off: they may never end
		w.timer.Reset(w.options.Settle)
	}
}

// tell passes on what changed. A listener that does not keep up hears later that anything may have.
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

// Listen returns the news from now on, beginning with the last number so far.
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

// Listeners returns how many there are.
func (w *Watcher) Listeners() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.readers)
}
