package page

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// A watcher tells browsers which of the paths that they look at have changed. It
// watches folders, not files: editors save by putting another file in the old one's place.
type watcher struct {
	files *fsnotify.Watcher

	mu      sync.Mutex
	folders map[string]*folder
	looks   int // so far
	count   int // of news
	pending map[string]bool
	readers map[chan news]bool
	timer   *time.Timer
}

// A folder is one that is watched, for the sake of paths at or below it.
type folder struct {
	look  int               // the last that was about it
	paths map[string]string // each with the name of the entry that it is about, "" for any
}

// news is that a path has changed. A page that was made after news number n has it.
type news struct {
	number int
	path   string // anything for any
}

const (
	anything   = "*"
	maxWatched = 1000                  // folders; those that were looked at last
	settle     = 25 * time.Millisecond // a save is several events
)

func newWatcher() (*watcher, error) {
	files, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	w := &watcher{files: files, folders: map[string]*folder{}, readers: map[chan news]bool{}, pending: map[string]bool{}}
	w.timer = time.AfterFunc(time.Hour, w.tell)
	w.timer.Stop()
	go w.run()
	return w, nil
}

func (w *watcher) close() {
	w.files.Close()
	w.timer.Stop()
}

// add watches paths from now on: a folder for whatever happens in it, anything
// else for itself. What is not there yet is waited for. It reports whether one of
// them was not watched before.
func (w *watcher) add(paths ...string) (fresh bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looks++
	for _, path := range paths {
		if path == "" {
			continue
		}
		if isFolder(path) {
			fresh = w.watch(path, path, "") || fresh
		}
		dir, name := filepath.Dir(path), filepath.Base(path)
		for dir != filepath.Dir(dir) && !isFolder(dir) {
			dir, name = filepath.Dir(dir), filepath.Base(dir)
		}
		fresh = w.watch(path, dir, name) || fresh
	}
	return fresh
}

// watch watches one entry of a folder, or all, for the sake of a path, and reports whether that is new.
func (w *watcher) watch(path, dir, name string) bool {
	if w.files.Add(dir) != nil { // again, should it be another folder by now
		return false // what cannot be watched has no news
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

func isFolder(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

// makeRoom forgets the folder that nobody has looked at for longest, if there are too many.
func (w *watcher) makeRoom() {
	if len(w.folders) <= maxWatched {
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

// at is the number of the last news.
func (w *watcher) at() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count
}

func (w *watcher) run() {
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
			w.changed(anything) // events were lost
		}
	}
}

// changed notes what a change of a file is about.
func (w *watcher) changed(file string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := len(w.pending)
	if file == anything {
		w.pending[anything] = true
	} else if f := w.folders[filepath.Dir(file)]; f != nil {
		for path, name := range f.paths {
			if name == "" || name == filepath.Base(file) {
				w.pending[path] = true
			}
		}
	}
	if before == 0 && len(w.pending) > 0 { // later ones do not put it off: they may never end
		w.timer.Reset(settle)
	}
}

// tell passes on what changed. A browser that does not keep up hears later that anything may have.
func (w *watcher) tell() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for path := range w.pending {
		w.count++
		for r := range w.readers {
			select {
			case r <- news{w.count, path}:
			default:
				select {
				case <-r:
				default:
				}
				r <- news{w.count, anything}
			}
		}
	}
	clear(w.pending)
}

// listen returns what happens from now on, beginning with where things stand.
func (w *watcher) listen() (from <-chan news, stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := make(chan news, 64)
	c <- news{w.count, anything}
	w.readers[c] = true
	return c, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.readers, c)
	}
}

// ServeHTTP streams the changed paths, by the names that pages know them by.
func (w *watcher) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	from, stop := w.listen()
	defer stop()
	out.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(out).Flush
	fmt.Fprint(out, "retry: 500\n\n")
	for flush() == nil {
		select {
		case <-r.Context().Done():
			return
		case n := <-from:
			name := n.path
			if name != anything {
				name = short(name)
			}
			if _, err := fmt.Fprintf(out, "id: %d\ndata: %s\n\n", n.number, name); err != nil {
				return
			}
		}
	}
}
