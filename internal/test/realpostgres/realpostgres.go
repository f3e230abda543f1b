// Package realpostgres gives tests their own Postgres: a real server in a temporary folder, reached
// over a socket there, run by a user that is not root.
package realpostgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/skillhand/skillhand/internal/proc"
	"github.com/skillhand/skillhand/internal/test"
)

// A Server is a running Postgres.
type Server struct {
	bin   string // the folder of its programs
	dir   string
	as    []string // the command that runs a program as the right user
	Flags []string // more flags for the server, from the next Start on
	ended chan error
	count atomic.Int64
}

// New starts a server that stops when the test ends. If the machine has no Postgres, the test is
// skipped, or fails with SKILLHAND_REQUIRE_ALL=1.
func New(t testing.TB, flags ...string) *Server {
	t.Helper()
	s := start(t, flags...)
	t.Cleanup(func() {
		if s.ended != nil {
			s.Stop(t, "immediate")
		}
		os.RemoveAll(s.dir)
	})
	return s
}

func start(t testing.TB, flags ...string) *Server {
	t.Helper()
	bin, err := programs()
	if err != nil {
		test.Lacking(t, err)
	}
	// Do not use t.TempDir, because the path of a socket must be short.
	dir, err := os.MkdirTemp("", "pg")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{bin: bin, dir: dir, Flags: flags}
	if os.Geteuid() == 0 {
		if err := s.notRoot(); err != nil {
			test.Lacking(t, err)
		}
	}
	s.run(t, "initdb", "-D", s.data(), "-U", "postgres", "--auth=trust", "--no-sync", "--no-locale", "-E", "UTF8")
	s.Start(t)
	return s
}

// shared is the server of all tests that need it at the same time.
var shared struct {
	sync.Mutex
	server *Server
	users  int
}

// Database creates an empty database on a server that tests share, and returns its address. The
// server stops when the last of these tests ends.
func Database(t testing.TB) string {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.users == 0 {
		shared.server = start(t)
	}
	shared.users++
	s := shared.server
	t.Cleanup(func() {
		shared.Lock()
		defer shared.Unlock()
		if shared.users--; shared.users == 0 {
			s.Stop(t, "immediate")
			os.RemoveAll(s.dir)
		}
	})
	return s.Database(t)
}

// programs finds the newest Postgres: in PATH, or where Debian keeps it.
func programs() (dir string, err error) {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(dir, "initdb")); err == nil {
			if real, err := filepath.EvalSymlinks(filepath.Join(dir, "initdb")); err == nil {
				return filepath.Dir(real), nil
			}
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return "", errors.New("postgres: not installed")
	}
	slices.Sort(found)
	return filepath.Dir(found[len(found)-1]), nil
}

// notRoot makes programs run as a user that is not root, as Postgres requires.
func (s *Server) notRoot() error {
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.Atoi(u.Uid)
		if err != nil {
			return err
		}
		s.as = []string{"runuser", "-u", name, "--"}
		return os.Chown(s.dir, uid, -1)
	}
	return errors.New("postgres: no user to run it as")
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) command(name string, args ...string) []string {
	return slices.Concat(s.as, []string{filepath.Join(s.bin, name)}, args)
}

func (s *Server) run(t testing.TB, name string, args ...string) {
	t.Helper()
	var out bytes.Buffer
	res, err := proc.Run(context.Background(), proc.Cmd{Args: s.command(name, args...), Dir: s.dir, Stdout: &out, Stderr: &out,
		Timeout: 2 * time.Minute})
	if err != nil || res.Exit != 0 {
		t.Fatalf("%s: exit %d, %v\n%s", name, res.Exit, err, out.String())
	}
}

// Start starts a stopped server and waits until it answers.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	args := s.command("postgres", append([]string{
		"-D", s.data(), "-k", s.dir, "-h", "", "-F", "-c", "max_connections=200", "-c", "log_min_messages=fatal",
	}, s.Flags...)...)
	s.ended = make(chan error, 1)
	go func() {
		var out bytes.Buffer
		res, err := proc.Run(context.Background(), proc.Cmd{Args: args, Dir: s.dir, Stdout: &out, Stderr: &out})
		s.ended <- errors.Join(fmt.Errorf("exit %d: %s", res.Exit, out.String()), err)
	}()
	for {
		err := s.sql("postgres", "SELECT 1")
		if err == nil {
			return
		}
		select {
		case end := <-s.ended:
			s.ended = nil
			t.Fatalf("postgres: %v, %v", err, end)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Stop stops the server in one of Postgres's modes: smart, fast, or immediate, which is a crash.
func (s *Server) Stop(t testing.TB, mode string) {
	t.Helper()
	s.run(t, "pg_ctl", "stop", "-D", s.data(), "-m", mode, "-s")
	<-s.ended
	s.ended = nil
}

// Database creates an empty database and returns its address.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	name := "test" + strconv.FormatInt(s.count.Add(1), 10)
	if err := s.sql("postgres", "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return s.address(name)
}

func (s *Server) address(database string) string {
	return "postgres:///" + database + "?host=" + s.dir + "&user=postgres"
}

func (s *Server) sql(database, text string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.address(database))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, text)
	return err
}
