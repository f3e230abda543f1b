package page

import (
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// A watcher tells browsers which folders have changed. It watches folders, not
// files: editors save by putting another file in the old one's place.
type watcher struct {
	files *fsnotify.Watcher

	mu      sync.Mutex
	watched []string // the longest unseen first
	readers map[chan string]bool
	pending map[string]bool
	timer   *time.Timer
}

const (
	maxWatched = 200                   // folders; those that were looked at last
	settle     = 25 * time.Millisecond // a save is several events
)

func newWatcher() (*watcher, error) {
	files, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	w := &watcher{files: files, readers: map[chan string]bool{}, pending: map[string]bool{}}
	w.timer = time.AfterFunc(time.Hour, w.tell)
	w.timer.Stop()
	go w.run()
	return w, nil
}

func (w *watcher) close() {
	w.files.Close()
	w.timer.Stop()
}

// add watches folders from now on.
func (w *watcher) add(folders ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, dir := range folders {
		for i, have := range w.watched {
			if have == dir {
				w.watched = append(w.watched[:i], w.watched[i+1:]...)
				break
			}
		}
		if w.files.Add(dir) != nil {
			continue // a folder that is gone has no news
		}
		w.watched = append(w.watched, dir)
		if len(w.watched) > maxWatched {
			_ = w.files.Remove(w.watched[0])
			w.watched = w.watched[1:]
		}
	}
}

func (w *watcher) run() {
	for {
		select {
		case e, ok := <-w.files.Events:
			if !ok {
				return
			}
			if e.Op == fsnotify.Chmod {
				continue
			}
			w.mu.Lock()
			w.pending[filepath.Dir(e.Name)] = true
			w.timer.Reset(settle)
			w.mu.Unlock()
		case _, ok := <-w.files.Errors:
			if !ok {
				return
			}
			w.mu.Lock()
			w.pending["*"] = true // events were lost: anything may have changed
			w.timer.Reset(settle)
			w.mu.Unlock()
		}
	}
}

// tell passes on what changed. A browser that does not keep up hears later that anything may have.
func (w *watcher) tell() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for dir := range w.pending {
		for r := range w.readers {
			select {
			case r <- dir:
			default:
				select {
				case <-r:
				default:
				}
				r <- "*"
			}
		}
	}
	clear(w.pending)
}

// ServeHTTP streams the changed folders, by the names that pages know them by.
func (w *watcher) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	news := make(chan string, 64)
	w.mu.Lock()
	w.readers[news] = true
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		delete(w.readers, news)
		w.mu.Unlock()
	}()
	out.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(out).Flush
	fmt.Fprint(out, "retry: 500\n\n")
	for flush() == nil {
		select {
		case <-r.Context().Done():
			return
		case dir := <-news:
			if dir != "*" {
				dir = short(dir)
			}
			if _, err := fmt.Fprintf(out, "data: %s\n\n", dir); err != nil {
				return
			}
		}
	}
}
