package batch

import (
	"context"
	"encoding/json"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"

	"github.com/skillhand/skillhand/internal/test/realpostgres"
)

// BenchmarkNoop measures jobs that do nothing: ours, and River alone with one transaction per job,
// on the same database with the same slots.
func BenchmarkNoop(b *testing.B) {
	places := map[string]func(b *testing.B) Options{
		"sqlite":   func(b *testing.B) Options { return Options{Database: filepath.Join(b.TempDir(), "batch.db")} },
		"postgres": func(b *testing.B) Options { return Options{Database: realpostgres.Database(b), Locks: b.TempDir()} },
	}
	for place, options := range places {
		b.Run(place+"/batch", func(b *testing.B) {
			db, err := Open(b.Context(), options(b))
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			if _, err := db.Add(b.Context(), Name{Name: "b"}, some(b.N), Limits{}); err != nil {
				b.Fatal(err)
			}
			var done atomic.Int64
			ctx, cancel := context.WithCancel(b.Context())
			w := &Worker{DB: db, Slots: 8, Do: func(context.Context, json.RawMessage) (json.RawMessage, Retry) {
				done.Add(1)
				return nil, Retry{}
			}}
			b.ResetTimer()
			ended := make(chan error, 1)
			go func() { ended <- w.Run(ctx) }()
			for left := true; left; {
				time.Sleep(5 * time.Millisecond)
				if done.Load() >= int64(b.N) {
					s, err := db.Status(b.Context(), 1)
					left = err == nil && s.Left() > 0
				}
			}
			b.StopTimer()
			cancel()
			<-ended
		})
		b.Run(place+"/river", func(b *testing.B) {
			db, err := Open(b.Context(), options(b))
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			bareRiver(b, db)
		})
	}
}

// A bare is River's worker with one transaction for the result and the end of the job. River's
// manual recommends this for a result that must be stored.
type bare struct {
	river.WorkerDefaults[delivery]
	db   *DB
	done *atomic.Int64
}

func (w *bare) Work(ctx context.Context, job *river.Job[delivery]) error {
	tx, err := w.db.store.begin(ctx)
	if err != nil {
		return err
	}
	defer tx.rollback()
	if _, err := tx.exec(ctx, `INSERT INTO bare (id) VALUES ($1)`, job.Args.Job); err != nil {
		return err
	}
	switch tx := tx.(type) {
	case *sqliteTx:
		_, err = river.JobCompleteTx[*riversqlite.Driver](ctx, tx.tx, job)
	case *postgresTx:
		_, err = river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx.tx, job)
	}
	if err != nil {
		return err
	}
	if err := tx.commit(ctx); err != nil {
		return err
	}
	w.done.Add(1)
	return nil
}

func bareRiver(b *testing.B, db *DB) {
	ctx := b.Context()
	if _, err := db.store.exec(ctx, `CREATE TABLE bare (id bigint PRIMARY KEY)`); err != nil {
		b.Fatal(err)
	}
	list := make([]delivery, b.N)
	for i := range list {
		list[i].Job = int64(i)
	}
	tx, err := db.store.begin(ctx)
	if err != nil {
		b.Fatal(err)
	}
	if err := tx.deliver(ctx, "bare", list); err != nil {
		b.Fatal(err)
	}
	if err := tx.commit(ctx); err != nil {
		b.Fatal(err)
	}
	var done atomic.Int64
	workers := river.NewWorkers()
	river.AddWorker(workers, &bare{db: db, done: &done})
	e, err := db.store.engine(&river.Config{
		Workers:       workers,
		Logger:        quiet,
		FetchCooldown: 2 * time.Millisecond,
		Queues:        map[string]river.QueueConfig{"bare": {MaxWorkers: 8}},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	if err := e.start(ctx); err != nil {
		b.Fatal(err)
	}
	for done.Load() < int64(b.N) {
		time.Sleep(5 * time.Millisecond)
	}
	b.StopTimer()
	_ = e.stop(ctx)
}
