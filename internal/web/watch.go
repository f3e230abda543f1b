package web

import (
	"fmt"
	"net/http"
	"time"

	"github.com/skillhand/skillhand/internal/watch"
)

// watchOptions limits the number of watched folders. The short Settle time tells the browser about
// a save at once.
var watchOptions = watch.Options{Max: 1000, Settle: 25 * time.Millisecond}

// events streams the names of changed paths to a browser: the short names that pages use.
func events(w *watch.Watcher) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		from, stop := w.Listen()
		defer stop()
		out.Header().Set("Content-Type", "text/event-stream")
		flush := http.NewResponseController(out).Flush
		fmt.Fprint(out, "retry: 500\n\n")
		for flush() == nil {
			select {
			case <-r.Context().Done():
				return
			case n := <-from:
				name := n.Path
				if name != watch.Anything {
					name = short(name)
				}
				if _, err := fmt.Fprintf(out, "id: %d\ndata: %s\n\n", n.Number, name); err != nil {
					return
				}
			}
		}
	})
}
