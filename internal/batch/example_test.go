package batch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/skillhand/skillhand/internal/batch"
)

// Any worker does the jobs that wait in a database, each job once.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	db, err := batch.Open(ctx, batch.Options{Database: filepath.Join(dir, "batch.db")})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	job := batch.Job{ID: "a", Kind: "greeting", Payload: json.RawMessage(`"Ada"`)}
	added, err := db.Add(ctx, batch.Name{Name: "greetings", Folder: dir}, []batch.Job{job}, batch.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	greet := func(_ context.Context, payload json.RawMessage) (json.RawMessage, batch.Retry) {
		defer stop() // after the only job
		return json.RawMessage(`"Hello, ` + string(payload[1:])), batch.Retry{}
	}
	if err := (&batch.Worker{DB: db, Do: greet}).Run(ctx); err != nil {
		fmt.Println(err)
	}
	result, _, err := db.Job(context.Background(), added.ID, "a")
	fmt.Println(result.State, string(result.Result), err)
	// Output: done "Hello, Ada" <nil>
}
