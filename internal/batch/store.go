package batch

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/riverqueue/river"
)

// A store is one database: our own statements, and River on the same tables.
type store interface {
	querier
	begin(ctx context.Context) (transaction, error)
	tables(ctx context.Context) ([]string, error) // that it has
	migrate(ctx context.Context) error            // makes ours, or brings them to our version
	engine(cfg *river.Config) (engine, error)
	passes(err error) bool // the same statement may work in a moment
	broken(err error) bool // nothing can be written, and waiting does not help
	close()
}

// A querier runs statements written for both databases, with $1 for the first argument and
// {tokens} for what they say differently.
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

// An engine is River at work.
type engine interface {
	start(ctx context.Context) error
	addQueue(name string, slots int, pause time.Duration) error
	removeQueue(ctx context.Context, name string) error
	stop(ctx context.Context) error
}

// A dialect is what the two databases say differently.
type dialect struct {
	words *strings.Replacer
	texts sync.Map // of what was translated before
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

// number reads the one number that a query returns; 0 if it returns none.
func number(ctx context.Context, q querier, sql string, args ...any) (int64, error) {
	list, err := all(ctx, q, scanNumber, sql, args...)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	return list[0], nil
}

func scanNumber(r rows, v *int64) error { return r.Scan(v) }

func scanString(r rows, v *string) error { return r.Scan(v) }

// deliveries makes River's rows. River never tries one again, and knows nothing of what it means.
func deliveries(queue string, list []delivery) []river.InsertManyParams {
	params := make([]river.InsertManyParams, len(list))
	for i, d := range list {
		params[i] = river.InsertManyParams{Args: d, InsertOpts: &river.InsertOpts{Queue: queue, MaxAttempts: 1}}
	}
	return params
}

// riverEngine is River's client over either driver.
type riverEngine[TTx any] struct {
	client *river.Client[TTx]
	poll   time.Duration // between two looks without a notification
}

func (e riverEngine[TTx]) start(ctx context.Context) error { return e.client.Start(ctx) }

func (e riverEngine[TTx]) stop(ctx context.Context) error { return e.client.StopAndCancel(ctx) }

func (e riverEngine[TTx]) removeQueue(ctx context.Context, name string) error {
	return e.client.Queues().Remove(ctx, name)
}

func (e riverEngine[TTx]) addQueue(name string, slots int, pause time.Duration) error {
	return e.client.Queues().Add(name, river.QueueConfig{MaxWorkers: slots, FetchCooldown: min(pause, e.poll)})
}
