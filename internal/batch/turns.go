package batch

import (
	"context"
	"database/sql/driver"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sync/semaphore"
)

// A turnstile lets the writers of a file in one after the other, in the order of their arrival.
//
// SQLite has no such order. Its writers try the lock again and again, at longer and longer
// intervals, and the writer that just released the lock tries first. On a busy machine some writers
// find it taken for minutes. Here, the writers of one process queue. The writers of several
// processes take a second lock, which they hold only while they wait for SQLite's lock. A writer
// that comes back therefore finds the second lock taken by a waiting writer.
//
// The order is a courtesy. SQLite's lock protects the file, whatever happens here.
type turnstile struct {
	queue *semaphore.Weighted // of this process
	next  *flock.Flock        // of all processes
}

// turnstiles has the turnstile of each file that this process has opened.
var turnstiles sync.Map

func newTurnstile(file string) *turnstile {
	t, _ := turnstiles.LoadOrStore(file, &turnstile{queue: semaphore.NewWeighted(1), next: flock.New(file + ".lock")})
	return t.(*turnstile)
}

// maxCourtesy is how long a writer waits for the writer before it to get SQLite's lock: the process
// of that writer may be stopped.
const maxCourtesy = 500 * time.Millisecond

// enter waits for a turn, which lasts until leave.
func (t *turnstile) enter(ctx context.Context) error {
	if err := t.queue.Acquire(ctx, 1); err != nil {
		return err
	}
	began := time.Now()
	for wait := time.Millisecond; ; wait = min(2*wait, 16*time.Millisecond) {
		if ok, err := t.next.TryLock(); ok || err != nil || time.Since(began) > maxCourtesy {
			return nil
		}
		select {
		case <-ctx.Done():
			t.queue.Release(1)
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// pass lets another process wait next.
func (t *turnstile) pass() { _ = t.next.Unlock() }

func (t *turnstile) leave() {
	t.pass()
	t.queue.Release(1)
}

// An orderedConn is a connection to SQLite that writes only when it is its turn.
type orderedConn struct {
	sqliteConn
	turns *turnstile // nil if nobody else writes, as while the tables are created
	inTx  bool
}

// A sqliteConn lists the methods of the driver's connections.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// BeginTx begins a transaction that writes.
func (c *orderedConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if c.turns == nil {
		return c.sqliteConn.BeginTx(ctx, o)
	}
	if err := c.turns.enter(ctx); err != nil {
		return nil, err
	}
	tx, err := c.sqliteConn.BeginTx(ctx, o)
	if err != nil {
		c.turns.leave()
		return nil, err
	}
	c.turns.pass()
	c.inTx = true
	return &orderedTx{tx, c}, nil
}

type orderedTx struct {
	driver.Tx
	conn *orderedConn
}

func (t *orderedTx) Commit() error   { return t.end(t.Tx.Commit()) }
func (t *orderedTx) Rollback() error { return t.end(t.Tx.Rollback()) }

// end ends the turn of a transaction, once.
func (t *orderedTx) end(err error) error {
	if t.conn.inTx {
		t.conn.inTx = false
		t.conn.turns.leave()
	}
	return err
}

// ExecContext runs a statement. Outside of a transaction it runs it in its own transaction.
func (c *orderedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if c.inTx || c.turns == nil {
		return c.sqliteConn.ExecContext(ctx, query, args)
	}
	tx, err := c.BeginTx(ctx, driver.TxOptions{})
	if err != nil {
		return nil, err
	}
	r, err := c.sqliteConn.ExecContext(ctx, query, args)
	if err != nil {
		_ = tx.Rollback()
		return nil, err
	}
	return r, tx.Commit()
}

// QueryContext runs a statement that returns rows. Outside of a transaction, a statement that also
// writes gets its own transaction, which ends with the rows.
func (c *orderedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if c.inTx || c.turns == nil || onlyReads(query) {
		return c.sqliteConn.QueryContext(ctx, query, args)
	}
	tx, err := c.BeginTx(ctx, driver.TxOptions{})
	if err != nil {
		return nil, err
	}
	rows, err := c.sqliteConn.QueryContext(ctx, query, args)
	if err != nil {
		_ = tx.Rollback()
		return nil, err
	}
	return &orderedRows{rows, tx}, nil
}

type orderedRows struct {
	driver.Rows
	tx driver.Tx
}

func (r *orderedRows) Close() error {
	if err := r.Rows.Close(); err != nil {
		_ = r.tx.Rollback()
		return err
	}
	return r.tx.Commit()
}

// onlyReads reports whether a statement is a plain SELECT, possibly after comment lines.
func onlyReads(query string) bool {
	for line := range strings.Lines(query) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "--") {
			return strings.HasPrefix(line, "SELECT")
		}
	}
	return false
}

// An orderedConnector opens connections that write in order.
type orderedConnector struct {
	driver driver.Driver
	dsn    string
	turns  *turnstile
}

func (c *orderedConnector) Driver() driver.Driver { return c.driver }

// Connect opens a connection.
func (c *orderedConnector) Connect(context.Context) (driver.Conn, error) {
	conn, err := c.driver.Open(c.dsn)
	if err != nil {
		return nil, err
	}
	return &orderedConn{sqliteConn: conn.(sqliteConn), turns: c.turns}, nil
}
