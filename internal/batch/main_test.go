package batch

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// The test binary is also the worker that tests kill.
func TestMain(m *testing.M) {
	if os.Getenv("BATCH_PLAY") == "" {
		os.Exit(m.Run())
	}
	if err := play(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A playing is the order for a worker process.
type playing struct {
	Options
	Diary string // the file in which it writes what happens to its jobs
	Slots int
	Only  bool // only open the database and exit
}

// play works until SIGINT. Each job takes as many milliseconds as its payload says.
func play() error {
	var p playing
	if err := json.Unmarshal([]byte(os.Getenv("BATCH_PLAY")), &p); err != nil {
		return err
	}
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT)
	defer cancel()
	p.Patience = time.Minute // Postgres may be unreachable when we start
	db, err := Open(ctx, p.Options)
	switch {
	case ctx.Err() != nil:
		return nil // interrupted before it started
	case err != nil || p.Only:
		return err
	}
	defer db.Close()
	// Each line is one write, so that the lines of processes do not mix.
	diary, err := os.OpenFile(p.Diary, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	enter := func(what, job string) {
		fmt.Fprintf(diary, "%d %d %s %s\n", time.Now().UnixNano(), os.Getpid(), what, job)
	}
	w := &Worker{DB: db, Slots: p.Slots, Warn: func(text string) { enter("warn", text) }}
	w.Do = func(ctx context.Context, payload json.RawMessage) (json.RawMessage, Retry) {
		ms, _ := strconv.Atoi(string(payload))
		enter("start", string(payload))
		if ms < 0 { // a job that kills its worker after a while
			time.Sleep(time.Duration(-ms) * time.Millisecond)
			p, _ := os.FindProcess(os.Getpid())
			_ = p.Kill()
			select {}
		}
		select {
		case <-ctx.Done():
			enter("cut", string(payload))
			return nil, Retry{Error: "cut short", CostUSD: 0.5}
		case <-time.After(time.Duration(ms%1000) * time.Millisecond):
			enter("end", string(payload))
			return payload, Retry{CostUSD: 1}
		}
	}
	return w.Run(ctx)
}
