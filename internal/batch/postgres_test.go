//go:build unix

package batch

import (
	"context"
	"encoding/json"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/skillhand/skillhand/internal/test/realpostgres"
)

// A server that cannot be reached is reported in one line, without the password, within two
// seconds.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // it accepts connections, but sends nothing
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for address, want := range map[string]string{
		silent.Addr().String(): "postgres: cannot be reached: no answer within 2s",
		closed.Addr().String(): "postgres: cannot be reached: dial tcp " + closed.Addr().String() + ": connect: connection refused",
	} {
		db, err := Open(t.Context(), Options{Database: "postgres://ada:geheim@" + address + "/x?sslmode=disable"})
		if err == nil {
			db.Close()
			t.Fatal("no error")
		}
		if err.Error() != want || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%q, want %q", err, want)
		}
	}
}

// A worker whose database does not answer reports that in one line, and continues when the database
// answers.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	o := Options{Database: realpostgres.Database(t)}
	db := open(t, o)
	add(t, db, some(1), Limits{})
	conn, err := pgx.Connect(t.Context(), o.Database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), `BEGIN; LOCK TABLE batch_keeper`); err != nil {
		t.Fatal(err)
	}
	said := make(chan string, 10)
	done := func(context.Context, json.RawMessage) (json.RawMessage, Retry) { return nil, Retry{} }
	begin(t, &Worker{DB: db, Warn: func(text string) { said <- text }, Do: done})
	if text := <-said; text != "postgres: no answer within 10s, trying again" {
		t.Errorf("said %q", text)
	}
	if _, err := conn.Exec(t.Context(), `ROLLBACK`); err != nil {
		t.Fatal(err)
	}
	until(t, db, "over", over)
}
