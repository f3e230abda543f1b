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

// Database returns the options to open a database of batches by its name. "" means the file in the
// state folder.
func Database(h here.Here, name string) batch.Options {
	own := filepath.Join(h.State, "batch.db")
	o := batch.Options{Database: cmp.Or(name, own)}
	o.Own = o.Database == own
	if batch.Remote(o.Database) {
		o.Locks = filepath.Join(h.State, "batch-workers")
	}
	return o
}

// A Later is a database of batches that is opened once it exists. Opening it never creates one. If
// somebody removes the file, Open opens the new file once there is one.
type Later struct {
	Options batch.Options

	mu sync.Mutex
	db *batch.DB
	is fs.FileInfo // the file that is open
}

// File returns the file with the database, or "" if the database is not a file.
func (l *Later) File() string {
	if batch.Remote(l.Options.Database) {
		return ""
	}
	return l.Options.Database
}

// Open returns the current database, or nil while none exists.
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
		return nil, nil // nobody has used this server for batches yet
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
