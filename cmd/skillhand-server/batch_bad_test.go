//go:build unix

package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/test"
	"github.com/skillhand/skillhand/internal/test/fakeapi"
	"github.com/skillhand/skillhand/internal/test/realpostgres"
)

func (s *stage) status() batch.Status {
	s.t.Helper()
	out, stderr, _ := s.run("show", "--json")
	var st batch.Status
	if err := json.Unmarshal([]byte(out), &st); err != nil {
		s.t.Fatalf("%v: %s%s", err, out, stderr)
	}
	return st
}

// A database that only others may write can be looked at. What cannot be written is named, with exit 3.
func TestBatchReadOnly(t *testing.T) {
	t.Parallel()
	s := newStage(t, "")
	s.write("jobs.yaml", manyJobs(1, 0, s.dir), 0o666)
	db := filepath.Join(s.dir, "db", "batch.db")
	if _, stderr, exit := s.run("run", "jobs.yaml", "--db", db); exit != 0 {
		t.Fatalf("exit %d: %s", exit, stderr)
	}
	// root can write anywhere, so run as another user, with the programs where that user can reach them.
	away := t.TempDir()
	for dir := away; strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		_ = os.Chmod(dir, 0o755)
	}
	for dir := filepath.Dir(db); strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		_ = os.Chmod(dir, 0o555)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Dir(db), 0o755); _ = os.Chmod(s.dir, 0o755) })
	for _, name := range []string{"skillhand", "skillhand-server"} {
		b, err := os.ReadFile(filepath.Join(bin, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(away, name), b, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		args string
		exit int
		want string
	}{
		{"list --db " + db, 0, "many  "},
		{"show --db " + db, 0, "many"},
		{"cancel many@1 --db " + db, 3, "skillhand: " + db + ": "},
		{"list --db " + filepath.Join(filepath.Dir(db), "other.db"), 3, "skillhand: " + filepath.Dir(db) + "/other.db: there is no such database"},
		{"work --db " + filepath.Join(filepath.Dir(db), "other.db"), 3, "skillhand: " + filepath.Dir(db) + "/other.db: "},
	} {
		cmd := exec.Command(filepath.Join(away, "skillhand"), append([]string{"batch"}, strings.Fields(tt.args)...)...)
		cmd.Dir, cmd.Env = "/", s.env
		if os.Geteuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		out, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != tt.exit || !strings.HasPrefix(string(out), tt.want) {
			t.Errorf("%s: %v: %s", tt.args, cmd.ProcessState, out)
		}
	}
}

// Looking at a database that has no batches changes nothing in it, and nobody makes tables beside others of the same names.
func TestBatchForeign(t *testing.T) {
	t.Parallel()
	s := newStage(t, "")
	s.write("jobs.yaml", manyJobs(1, 0, s.dir), 0o666)
	server := realpostgres.Database(t)
	conn, err := pgx.Connect(t.Context(), server)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	tables := func() (n int) {
		if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_tables WHERE schemaname = 'public'`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	file := filepath.Join(s.dir, "photos.db")
	make := func(table string) {
		t.Helper()
		db, err := sql.Open("sqlite", file)
		if err == nil {
			_, err = db.Exec(`CREATE TABLE ` + table + ` (a text)`)
			db.Close()
		}
		if err == nil {
			_, err = conn.Exec(t.Context(), `CREATE TABLE `+table+` (a text)`)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	refused := func(want string, commands ...string) {
		t.Helper()
		before, n := content(t, file), tables()
		for _, db := range []string{file, server} {
			for _, command := range commands {
				_, stderr, exit := s.run(append(strings.Fields(command), "--db", db)...)
				if exit != 3 || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
					t.Errorf("%s --db %s: exit %d: %s", command, db, exit, stderr)
				}
			}
		}
		files, _ := filepath.Glob(file + "*")
		if content(t, file) != before || tables() != n || len(files) != 1 {
			t.Errorf("changed: %d tables, files %v", tables(), files)
		}
	}
	make("photos")
	refused("not a database of batches: it has no table batch_version", "show", "list", "show x", "cancel x", "retry x", "rm x", "work --drain")
	make("batch")
	refused("not a database of batches: its table batch is of another program", "run jobs.yaml", "add jobs.yaml", "list")
}

func content(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A database whose files somebody removes while it is in use has lost what was written since: that is said, with exit 3. So
// is a table that is missing.
func TestBatchLostDatabase(t *testing.T) {
	t.Parallel()
	s := newStage(t, "")
	s.write("rm.sh", "#!/bin/sh\nrm -f "+filepath.Join(s.dir, "a.db")+"*\necho '"+`{"success": true, "confidence": 1, "deliverables": [], "metrics": {}, "errors": []}`+"'\n", 0o777)
	s.write("jobs.yaml", "jobs:\n- {id: a, run: ./rm.sh}\n- {id: b, run: ./rm.sh, needs: [a]}\n", 0o666)
	_, stderr, exit := s.run("run", "jobs.yaml", "--db", filepath.Join(s.dir, "a.db"))
	if exit != 3 || !strings.Contains(stderr, "a.db: the file was removed or replaced while it was in use") {
		t.Errorf("exit %d: %s", exit, stderr)
	}
	s.write("jobs.yaml", manyJobs(1, 0, s.dir), 0o666)
	file := filepath.Join(s.dir, "b.db")
	if _, stderr, exit := s.run("run", "jobs.yaml", "--db", file); exit != 0 {
		t.Fatalf("exit %d: %s", exit, stderr)
	}
	db, err := sql.Open("sqlite", file)
	if err == nil {
		_, err = db.Exec(`DROP TABLE batch_keeper`)
		db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"show", "list", "run jobs.yaml", "cancel jobs"} {
		_, stderr, exit := s.run(append(strings.Fields(command), "--db", file)...)
		if exit != 3 || !strings.Contains(stderr, "its table batch_keeper is missing") {
			t.Errorf("%s: exit %d: %s", command, exit, stderr)
		}
	}
}

// A disk that is full stops the work and is named. Once there is room it goes on, and what was
// done stays done.
func TestBatchFullDisk(t *testing.T) {
	t.Parallel()
	s := newStage(t, "")
	disk := filepath.Join(s.dir, "disk")
	if err := os.Mkdir(disk, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1500k", "none", disk).CombinedOutput(); err != nil {
		test.Lacking(t, fmt.Errorf("mount: %w: %s", err, out)) // only root may
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", disk).Run() })
	s.write("job.sh", `#!/bin/bash
echo "start $1 $$" >>log
head -c 20000 /dev/zero | tr '\0' x
echo
echo '{"success": true, "confidence": 1, "deliverables": [], "metrics": {}, "errors": []}'
`, 0o777)
	s.write("jobs.yaml", "name: many\ndefaults: {retries: 0}\n"+strings.TrimPrefix(manyJobs(200, 0, strings.Repeat("x", 1500)), "name: many\n"), 0o666)
	db := filepath.Join(disk, "batch.db")
	s.env = append(s.env, "SKILLHAND_BATCH_DB="+db)
	_, stderr, exit := s.run("run", "jobs.yaml")
	if exit != 3 || !strings.Contains(stderr, "/batch.db: ") || !strings.Contains(stderr, "database or disk is full") {
		t.Errorf("exit %d: %s", exit, stderr)
	}
	t.Log(stderr)
	if out, err := exec.Command("mount", "-o", "remount,size=64m", disk).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, stderr, exit := s.run("run", "jobs.yaml"); exit != 0 {
		t.Errorf("exit %d: %s", exit, stderr)
	}
	if st := s.status(); st.Done != 200 || st.Total != 200 {
		t.Errorf("%+v", st)
	}
}

// Postgres goes away while jobs run and others wait, and comes back.
func TestBatchPostgresAway(t *testing.T) {
	t.Parallel()
	server := realpostgres.New(t)
	s := newStage(t, "")
	s.write("jobs.yaml", manyJobs(8, 0.5, s.dir), 0o666)
	s.env = append(s.env, "SKILLHAND_BATCH_DB="+server.Database(t))
	cmd := s.command("run", "jobs.yaml", "-o", "results.jsonl", "--jobs", "2")
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "started", func() bool { return s.log()["end"] >= 2 })
	server.Stop(t, "immediate")
	n := s.log()["start"]
	await(t, "ended without a database", func() bool { return s.log()["end"] >= n })
	server.Start(t)
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, said.String())
	}
	if st := s.status(); st.Done != 8 {
		t.Errorf("%+v", st)
	}
	b, err := os.ReadFile(filepath.Join(s.dir, "results.jsonl"))
	if err != nil || strings.Count(string(b), `"state":"done"`) != 8 {
		t.Errorf("%v: %s", err, b)
	}
	// Jobs that had ended before have one run: the result was in the database, or was kept until it was.
	for i := range 8 {
		if n := s.log()["end j"+strconv.Itoa(i)]; n != 1 {
			t.Errorf("j%d ended %d times", i, n)
		}
	}
}

// A usage limit that ends: nothing is asked until then, and no attempt is spent. With the real CLI.
func TestBatchUsageLimit(t *testing.T) {
	t.Parallel()
	s, api := newAsks(t, "name: asks\ndefaults: {retries: 0}\njobs: [{id: a, ask: one}, {id: b, ask: two}]\n")
	s.env = append(s.env, "ANTHROPIC_API_KEY=", "CLAUDE_CODE_OAUTH_TOKEN=dummy-token")
	var reset time.Time
	early := make(chan string, 100)
	api.Handle(func(*fakeapi.Request) fakeapi.Answer {
		if reset.IsZero() {
			reset = time.Now().Add(12 * time.Second).Truncate(time.Second)
			return fakeapi.Status(429, "This request would exceed your account's rate limit.",
				"anthropic-ratelimit-unified-status", "rejected", "anthropic-ratelimit-unified-reset", strconv.FormatInt(reset.Unix(), 10),
				"anthropic-ratelimit-unified-representative-claim", "five_hour")
		}
		if now := time.Now(); now.Before(reset) {
			early <- fmt.Sprintf("asked %v too early", reset.Sub(now))
		}
		return fakeapi.Text("an answer")
	})
	_, stderr, exit := s.run("run", "jobs.yaml", "--jobs", "1", "-o", "results.jsonl")
	if exit != 0 || !strings.Contains(stderr, "usage limit reached, waiting until") {
		t.Errorf("exit %d: %s", exit, stderr)
	}
	select {
	case text := <-early:
		t.Error(text)
	default:
	}
	b, err := os.ReadFile(filepath.Join(s.dir, "results.jsonl"))
	if err != nil || strings.Count(string(b), `"state":"done","attempts":1,`) != 2 {
		t.Errorf("%v: %s", err, b)
	}
}

// A question that goes on with a session is charged for what it adds.
func TestBatchResume(t *testing.T) {
	t.Parallel()
	s, _ := newAsks(t, "name: first\njobs: [{id: a, ask: one}]\n")
	if _, stderr, exit := s.run("run", "jobs.yaml", "-o", "first.jsonl"); exit != 0 {
		t.Fatalf("exit %d: %s", exit, stderr)
	}
	read := func(file string) (r batch.Result, session string) {
		b, err := os.ReadFile(filepath.Join(s.dir, file))
		var doc struct {
			SessionID string `json:"session_id"`
		}
		if err != nil || json.Unmarshal(b, &r) != nil || json.Unmarshal(r.Result, &doc) != nil {
			t.Fatalf("%v: %s", err, b)
		}
		return r, doc.SessionID
	}
	first, session := read("first.jsonl")
	s.write("jobs.yaml", "name: second\njobs: [{id: b, ask: two, resume: "+session+"}]\n", 0o666)
	if _, stderr, exit := s.run("run", "jobs.yaml", "-o", "second.jsonl"); exit != 0 {
		t.Fatalf("exit %d: %s", exit, stderr)
	}
	second, _ := read("second.jsonl")
	if first.CostUSD == 0 || second.CostUSD > 1.5*first.CostUSD {
		t.Errorf("the first cost %v, the second %v", first.CostUSD, second.CostUSD)
	}
}
