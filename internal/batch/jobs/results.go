package jobs

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/files"
)

// WriteResults writes the results of the jobs that have ended, in order. On an error the file stays
// unchanged.
func WriteResults(ctx context.Context, db *batch.DB, id int64, file string) error {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		device, err := os.OpenFile(file, os.O_WRONLY, 0) // a device must not be replaced by a file
		if err != nil {
			return err
		}
		return files.NameCause(errors.Join(db.WriteLines(ctx, device, id, batch.State.Ended), device.Close()))
	}
	return files.WriteFrom(file, func(w io.Writer) error { return db.WriteLines(ctx, w, id, batch.State.Ended) }, 0o666)
}
