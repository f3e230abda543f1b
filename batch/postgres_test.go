//go:build unix

package batch

import (
	"net"
	"strings"
	"testing"
)

// A server that cannot be reached is said to be so in one line, without the password, within two seconds.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // it takes connections, and says nothing
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
