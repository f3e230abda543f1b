package batch

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"modernc.org/sqlite"
	sqlitelib "modernc.org/sqlite/lib"
)

var sqliteDialect = dialect{words: strings.NewReplacer(
	"{now}", "CAST(unixepoch('subsec') * 1000 AS integer)",
	"{up}", "0", // when the database began: it is as old as its file
	"{lock}", "",
	"{id}", "integer PRIMARY KEY AUTOINCREMENT",
	"{items}", "json_each($1)",
	"{list}", "(SELECT value FROM json_each($1))",
	"{worker}", "attempted_by ->> 0",
	"{finalized}", "datetime('now', 'subsec')",
)}

// sqliteStore is a file that the processes of one machine share.
type sqliteStore struct {
	sqliteQuerier
	file string
	db   *sql.DB
	// A client that runs nothing, for its insertions.
	client *river.Client[*sql.Tx]
}

func openSQLite(file string, existing bool) (*sqliteStore, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	if existing {
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no such database: %w", fs.ErrNotExist)
		} else if wrong, ok := errors.AsType[*fs.PathError](err); ok {
			return nil, wrong.Err
		}
	} else if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, err
	}
	// Transactions lock at once: one that begins by reading and then writes meets others that
	// did the same, and fails. One connection, since the file has one writer anyway. What was
	// written outlives the process at once; only a crash of the machine can take the last moments
	// back, and then the jobs of those moments run again.
	query := url.Values{
		"_txlock": {"immediate"},
		"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(NORMAL)", "foreign_keys(ON)"},
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: filepath.ToSlash(file), RawQuery: query.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	client, err := river.NewClient(riversqlite.New(db), &river.Config{Logger: quiet})
	if err != nil {
		db.Close()
		return nil, err
	}
	return &sqliteStore{sqliteQuerier: sqliteQuerier{db}, file: file, db: db, client: client}, nil
}

// migrate makes the tables. Of several processes that do so at once, one does it and the others
// wait for it: River's own migrations fail side by side.
func (s *sqliteStore) migrate(ctx context.Context) error {
	lock := flock.New(s.file + ".lock")
	if _, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return err
	}
	defer lock.Unlock()
	return migrate(ctx, s, func() error {
		m, err := rivermigrate.New(riversqlite.New(s.db), &rivermigrate.Config{Logger: quiet})
		if err != nil {
			return err
		}
		_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
		return err
	})
}

func (s *sqliteStore) engine(cfg *river.Config) (engine, error) {
	cfg.PollOnly = true
	cfg.FetchPollInterval = 100 * time.Millisecond
	c, err := river.NewClient(riversqlite.New(s.db), cfg)
	return riverEngine[*sql.Tx]{c, cfg.FetchPollInterval}, err
}

func (s *sqliteStore) close() { s.db.Close() }

func (s *sqliteStore) passes(err error) bool {
	return slices.Contains([]int{sqlitelib.SQLITE_BUSY, sqlitelib.SQLITE_LOCKED}, sqliteCode(err))
}

func (s *sqliteStore) broken(err error) bool {
	return slices.Contains([]int{
		sqlitelib.SQLITE_FULL, sqlitelib.SQLITE_IOERR, sqlitelib.SQLITE_READONLY, sqlitelib.SQLITE_CANTOPEN, sqlitelib.SQLITE_CORRUPT, sqlitelib.SQLITE_NOTADB,
	}, sqliteCode(err))
}

// sqliteCode is what SQLite calls an error; 0 if it is none of its.
func sqliteCode(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

func (s *sqliteStore) begin(ctx context.Context) (transaction, error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	return &sqliteTx{sqliteQuerier{tx}, tx, s.client}, nil
}

// sqliteQuerier is the database or a transaction.
type sqliteQuerier struct {
	on interface {
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	}
}

func (q sqliteQuerier) exec(ctx context.Context, text string, args ...any) (int64, error) {
	r, err := q.on.ExecContext(ctx, sqliteDialect.sql(text), args...)
	if err != nil {
		return 0, fmt.Errorf("database: %w", err)
	}
	return r.RowsAffected()
}

func (q sqliteQuerier) query(ctx context.Context, text string, args ...any) (rows, error) {
	r, err := q.on.QueryContext(ctx, sqliteDialect.sql(text), args...)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	return sqliteRows{r}, nil
}

type sqliteRows struct{ *sql.Rows }

func (r sqliteRows) Close() { r.Rows.Close() }

type sqliteTx struct {
	sqliteQuerier
	tx     *sql.Tx
	client *river.Client[*sql.Tx]
}

func (t *sqliteTx) deliver(ctx context.Context, queue string, d []delivery) error {
	_, err := t.client.InsertManyFastTx(ctx, t.tx, deliveries(queue, d))
	return err
}

func (t *sqliteTx) commit(context.Context) error { return t.tx.Commit() }

func (t *sqliteTx) rollback() { _ = t.tx.Rollback() }
