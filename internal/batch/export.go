package batch

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"time"
)

// WriteLines writes a JSON line for each job in a wanted state, in order.
func (db *DB) WriteLines(ctx context.Context, w io.Writer, id int64, wanted func(State) bool) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for r, err := range db.Jobs(ctx, id, Query{}) {
		if err == nil && wanted(r.State) {
			err = enc.Encode(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// WriteCSV writes a header row, and a row for each job in a wanted state, in order.
func (db *DB) WriteCSV(ctx context.Context, w io.Writer, id int64, wanted func(State) bool) error {
	table := csv.NewWriter(w)
	err := table.Write([]string{"id", "state", "attempts", "cost_usd", "started", "ended", "error", "result"})
	for r, fault := range db.Jobs(ctx, id, Query{}) {
		if fault != nil || err != nil {
			return errors.Join(fault, err)
		}
		if wanted(r.State) {
			err = table.Write([]string{
				r.ID, string(r.State), strconv.Itoa(r.Attempts), strconv.FormatFloat(r.CostUSD, 'f', -1, 64),
				stamp(r.Started), stamp(r.Ended), r.Error, string(r.Result),
			})
		}
	}
	table.Flush()
	return table.Error()
}

func stamp(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}
