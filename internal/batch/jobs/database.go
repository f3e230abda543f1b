package jobs

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/here"
)

// Database says how to open the database of batches that was named; "" is the file in the state folder.
func Database(h here.Here, name string) batch.Options {
	own := filepath.Join(h.State, "batch.db")
	o := batch.Options{Database: cmp.Or(name, own)}
	o.Own = o.Database == own
	if batch.Remote(o.Database) {
		o.Locks = filepath.Join(h.State, "batch-workers")
	}
	return o
}

// A Later is a database of batches that is opened when there is one: looking makes none. Whoever
// removes its file to begin anew sees the new one.
type Later struct {
	Options batch.Options

	mu sync.Mutex
	db *batch.DB
	is fs.FileInfo // the file that is open
}

// File returns the file that the database is in; "": it is no file.
func (l *Later) File() string {
	if batch.Remote(l.Options.Database) {
		return ""
	}
	return l.Options.Database
}

// Open returns the database as it is now, or nil as long as there is none.
func (l *Later) Open(ctx context.Context) (*batch.DB, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	var now fs.FileInfo
	if file := l.File(); file != "" {
		now, err = os.Stat(file)
	}
	if l.db != nil && (err != nil || now != nil && !os.SameFile(now, l.is)) {
		l.db.Close()
		l.db = nil
	}
	if l.db != nil || errors.Is(err, fs.ErrNotExist) {
		return l.db, nil
	}
	l.is = now
	l.Options.Existing = true
	db, err := batch.Open(ctx, l.Options)
	if errors.Is(err, batch.ErrForeign) && batch.Remote(l.Options.Database) {
		return nil, nil // a server that nobody has used for batches yet
	}
	l.db = db
	return db, err
}

// Close closes the database, if it is open.
func (l *Later) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.db != nil {
		l.db.Close()
	}
}
