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
	"sync"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
	"modernc.org/sqlite"
	sqlitelib "modernc.org/sqlite/lib"

	"github.com/skillhand/skillhand/internal/files"
)

var sqliteDialect = dialect{words: strings.NewReplacer(
	"{now}", "CAST(unixepoch('subsec') * 1000 AS integer)",
	"{up}", "0", // when the database started: as old as its file
	"{lock}", "",
	"{id}", "integer PRIMARY KEY AUTOINCREMENT",
	"{items}", "json_each($1)",
	"{list}", "(SELECT value FROM json_each($1))",
	"{worker}", "attempted_by ->> 0",
	"{finalized}", "datetime('now', 'subsec')",
)}

// A sqliteStore is a file that the processes of one machine share.
type sqliteStore struct {
	file  string
	is    fs.FileInfo // the file as it was when opened; nil if it did not exist yet
	reads *sql.DB     // for reading, without waiting
	db    *sql.DB     // for writing, one writer at a time
	// A client for insertions. It runs nothing.
	client *river.Client[*sql.Tx]
}

func openSQLite(o Options) (*sqliteStore, error) {
	file, err := filepath.Abs(o.Database)
	if err != nil {
		return nil, err
	}
	is, err := os.Stat(file)
	wrong, _ := errors.AsType[*fs.PathError](err)
	switch {
	case errors.Is(err, fs.ErrNotExist) && o.Existing:
		return nil, fmt.Errorf("there is no such database: %w", fs.ErrNotExist)
	case errors.Is(err, fs.ErrNotExist):
		if err = os.MkdirAll(filepath.Dir(file), 0o700); err == nil && o.Own {
			err = files.NoteState(file)
		}
	case wrong != nil:
		err = wrong.Err
	case is.IsDir():
		err = errors.New("a folder, want a file")
	}
	if err != nil {
		return nil, err
	}
	s := &sqliteStore{file: file, is: is}
	// Reading changes nothing, whoever owns the file.
	s.reads = sql.OpenDB(&orderedConnector{driver: &sqlite.Driver{},
		dsn: s.dsn("mode", "rw", "_pragma", lockWait, "_pragma", "query_only(ON)")})
	s.reads.SetMaxOpenConns(2)
	s.db = s.writer(newTurnstile(file))
	if s.client, err = river.NewClient(riversqlite.New(s.db), &river.Config{Logger: quiet}); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// lockWait is how long a statement waits for SQLite's lock, in milliseconds. The process that has
// the lock may be slow, not dead. DB.retry then tries the statement again.
const lockWait = "busy_timeout(5000)"

// writer opens the file for writing. Transactions take the lock when they begin. Two transactions
// that read first and then both write would fail. Written data survives the end of the process at
// once. Only a crash of the machine can lose the last moments, and then the jobs of these moments
// run again.
func (s *sqliteStore) writer(turns *turnstile) *sql.DB {
	db := sql.OpenDB(&orderedConnector{driver: &sqlite.Driver{}, turns: turns, dsn: s.dsn(
		"_txlock", "immediate", "_pragma", lockWait, "_pragma", "journal_mode(WAL)", "_pragma", "synchronous(NORMAL)",
		"_pragma", "foreign_keys(ON)")})
	db.SetMaxOpenConns(1)
	return db
}

// dsn returns the file's name with options for the driver.
func (s *sqliteStore) dsn(options ...string) string {
	query := url.Values{}
	for i := 0; i+1 < len(options); i += 2 {
		query.Add(options[i], options[i+1])
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(s.file), RawQuery: query.Encode()}).String()
}

func (s *sqliteStore) tables(ctx context.Context) ([]string, error) {
	if s.is == nil || s.is.Size() == 0 {
		return nil, nil
	}
	names := func() ([]string, error) {
		return all(ctx, s, scanString, `SELECT name FROM sqlite_master WHERE type IN ('table', 'view')`)
	}
	found, err := names()
	locked := slices.Contains([]int{sqlitelib.SQLITE_CANTOPEN, sqlitelib.SQLITE_READONLY}, sqliteCode(err))
	if _, wal := os.Stat(s.file + "-wal"); locked && errors.Is(wal, fs.ErrNotExist) {
		// The file is in a folder that we may only read. Nobody writes to it, else there would be a
		// -wal file.
		s.reads.Close()
		s.reads = sql.OpenDB(&orderedConnector{driver: &sqlite.Driver{}, dsn: s.dsn("mode", "ro", "immutable", "1")})
		return names()
	}
	return found, err
}

// migrate creates the tables. If several processes do so at once, one of them works and the others
// wait for it, because River's own migrations fail when they run at the same time.
func (s *sqliteStore) migrate(ctx context.Context) error {
	turns := newTurnstile(s.file)
	if err := turns.queue.Acquire(ctx, 1); err != nil {
		return err
	}
	defer turns.leave()
	if _, err := turns.next.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return err
	}
	maker := *s
	maker.db = s.writer(nil) // we have the turn until the end
	defer maker.db.Close()
	err := makeTables(ctx, &maker, func() error {
		m, err := rivermigrate.New(riversqlite.New(maker.db), &rivermigrate.Config{Logger: quiet})
		if err != nil {
			return err
		}
		_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
		return err
	})
	if err == nil {
		s.is, err = os.Stat(s.file)
	}
	return err
}

// errGone is the error for a file that somebody removed or replaced while it was open: data written
// to it is lost.
var errGone = errors.New("the file was removed or replaced while it was in use")

// there returns errGone if the file is no longer the file that was opened.
func (s *sqliteStore) there() error {
	if now, err := os.Stat(s.file); s.is != nil && (errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, s.is)) {
		return errGone
	}
	return nil
}

func (s *sqliteStore) engine(cfg *river.Config) (engine, error) {
	cfg.PollOnly = true
	cfg.FetchPollInterval = 100 * time.Millisecond
	c, err := river.NewClient(&lookFirst{Driver: riversqlite.New(s.db), store: s}, cfg)
	return riverEngine[*sql.Tx]{c, cfg.FetchPollInterval}, err
}

// A lookFirst is River's driver with one change: it checks whether there are jobs before it locks
// the file to take some.
type lookFirst struct {
	*riversqlite.Driver
	store *sqliteStore
}

// GetExecutor returns the executor for River's statements.
func (d *lookFirst) GetExecutor() riverdriver.Executor {
	return &lookFirstExecutor{Executor: d.Driver.GetExecutor(), store: d.store}
}

type lookFirstExecutor struct {
	riverdriver.Executor
	store *sqliteStore
	empty sync.Map // queues without jobs, and the state of the file at that time
}

// JobGetAvailable takes jobs, if there are any. It checks an empty queue again only after the file
// has changed.
func (e *lookFirstExecutor) JobGetAvailable(ctx context.Context, p *riverdriver.JobGetAvailableParams) ([]*rivertype.JobRow, error) {
	before := e.store.written()
	if last, ok := e.empty.Load(p.Queue); ok && last == before {
		return nil, nil
	}
	e.empty.Delete(p.Queue)
	var one int
	err := e.store.reads.QueryRowContext(ctx,
		`SELECT 1 FROM river_job WHERE state = 'available' AND queue = ?1 LIMIT 1`, p.Queue).Scan(&one)
	switch {
	case !errors.Is(err, sql.ErrNoRows):
		return e.Executor.JobGetAvailable(ctx, p)
	case time.Since(before.at) > clockTick:
		e.empty.Store(p.Queue, before)
	}
	return nil, nil
}

// clockTick is longer than the time within which two changes of a file can have the same timestamp.
const clockTick = 50 * time.Millisecond

// A fileState changes whenever something is written.
type fileState struct {
	at   time.Time
	size int64
}

// written returns when something was last written: every transaction first goes to the -wal file.
func (s *sqliteStore) written() fileState {
	if info, err := os.Stat(s.file + "-wal"); err == nil {
		return fileState{info.ModTime(), info.Size()}
	}
	return fileState{at: time.Now()} // differs from any other state
}

func (s *sqliteStore) close() {
	s.reads.Close()
	s.db.Close() // the last connection cleans up
}

func (s *sqliteStore) passes(err error) bool {
	return slices.Contains([]int{sqlitelib.SQLITE_BUSY, sqlitelib.SQLITE_LOCKED}, sqliteCode(err))
}

func (s *sqliteStore) broken(err error) bool {
	return errors.Is(err, errGone) || slices.Contains([]int{
		sqlitelib.SQLITE_FULL, sqlitelib.SQLITE_IOERR, sqlitelib.SQLITE_READONLY, sqlitelib.SQLITE_CANTOPEN,
		sqlitelib.SQLITE_CORRUPT, sqlitelib.SQLITE_NOTADB,
	}, sqliteCode(err))
}

// sqliteCode returns SQLite's code for an error, or 0 if it is not an error of SQLite.
func sqliteCode(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

func (s *sqliteStore) begin(ctx context.Context) (transaction, error) {
	if err := s.there(); err != nil {
		return nil, err
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	return &sqliteTx{sqliteQuerier{tx}, tx, s.client}, nil
}

func (s *sqliteStore) exec(ctx context.Context, text string, args ...any) (int64, error) {
	if err := s.there(); err != nil {
		return 0, err
	}
	return sqliteQuerier{s.db}.exec(ctx, text, args...)
}

func (s *sqliteStore) query(ctx context.Context, text string, args ...any) (rows, error) {
	if onlyReads(text) {
		return sqliteQuerier{s.reads}.query(ctx, text, args...)
	}
	return sqliteQuerier{s.db}.query(ctx, text, args...)
}

// A sqliteQuerier is an open file or a transaction.
type sqliteQuerier struct {
	on interface {
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	}
}

func (q sqliteQuerier) exec(ctx context.Context, text string, args ...any) (int64, error) {
	r, err := q.on.ExecContext(ctx, sqliteDialect.sql(text), args...)
	if err != nil {
		return 0, fmt.Errorf("database: %w", orEnded(ctx, err))
	}
	return r.RowsAffected()
}

func (q sqliteQuerier) query(ctx context.Context, text string, args ...any) (rows, error) {
	r, err := q.on.QueryContext(ctx, sqliteDialect.sql(text), args...)
	if err != nil {
		return nil, fmt.Errorf("database: %w", orEnded(ctx, err))
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

// orEnded returns the reason why the context ended, if that interrupted a statement, else the
// error.
func orEnded(ctx context.Context, err error) error {
	if sqliteCode(err) == sqlitelib.SQLITE_INTERRUPT && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
