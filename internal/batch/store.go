package batch

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/riverqueue/river"
)

// A store is one database, for our own statements and for River.
type store interface {
	querier
	begin(ctx context.Context) (transaction, error)
	tables(ctx context.Context) ([]string, error) // returns the tables that exist
	migrate(ctx context.Context) error            // creates our tables, or updates them to our version
	engine(cfg *river.Config) (engine, error)
	passes(err error) bool // reports whether the same statement may work in a moment
	broken(err error) bool // reports whether nothing can be written, and waiting does not help
	close()
}

// A querier runs statements that are written for both databases. $1 is the first argument, and
// {tokens} stand for parts that differ between the databases.
type querier interface {
	exec(ctx context.Context, sql string, args ...any) (int64, error)
	query(ctx context.Context, sql string, args ...any) (rows, error)
}

type transaction interface {
	querier
	deliver(ctx context.Context, queue string, d []delivery) error
	commit(ctx context.Context) error
	rollback()
}

type rows interface {
	Next() bool
	Scan(into ...any) error
	Err() error
	Close()
}

// An engine is River while it runs.
type engine interface {
	start(ctx context.Context) error
	addQueue(name string, slots int, pause time.Duration) error
	removeQueue(ctx context.Context, name string) error
	stop(ctx context.Context) error
}

// A dialect replaces the {tokens} in statements for one database.
type dialect struct {
	words *strings.Replacer
	texts sync.Map // statements that were translated before
}

func (d *dialect) sql(text string) string {
	if s, ok := d.texts.Load(text); ok {
		return s.(string)
	}
	s := d.words.Replace(text)
	d.texts.Store(text, s)
	return s
}

// all reads every row of a query.
func all[T any](ctx context.Context, q querier, scan func(r rows, v *T) error, sql string, args ...any) ([]T, error) {
	r, err := q.query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var list []T
	for r.Next() {
		var v T
		if err := scan(r, &v); err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, r.Err()
}

// number returns the number that a query selects, or 0 if it selects no row.
func number(ctx context.Context, q querier, sql string, args ...any) (int64, error) {
	list, err := all(ctx, q, scanNumber, sql, args...)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	return list[0], nil
}

func scanNumber(r rows, v *int64) error { return r.Scan(v) }

func scanString(r rows, v *string) error { return r.Scan(v) }

// deliveries returns River's rows for deliveries. River never repeats a delivery, and does not know
// what it means.
func deliveries(queue string, list []delivery) []river.InsertManyParams {
	params := make([]river.InsertManyParams, len(list))
	for i, d := range list {
		params[i] = river.InsertManyParams{Args: d, InsertOpts: &river.InsertOpts{Queue: queue, MaxAttempts: 1}}
	}
	return params
}

// A riverEngine is River's client with either driver.
type riverEngine[TTx any] struct {
	client *river.Client[TTx]
	poll   time.Duration // the time between two looks without a notification
}

func (e riverEngine[TTx]) start(ctx context.Context) error { return e.client.Start(ctx) }

func (e riverEngine[TTx]) stop(ctx context.Context) error { return e.client.StopAndCancel(ctx) }

func (e riverEngine[TTx]) removeQueue(ctx context.Context, name string) error {
	return e.client.Queues().Remove(ctx, name)
}

func (e riverEngine[TTx]) addQueue(name string, slots int, pause time.Duration) error {
	return e.client.Queues().Add(name, river.QueueConfig{MaxWorkers: slots, FetchCooldown: min(pause, e.poll)})
}
