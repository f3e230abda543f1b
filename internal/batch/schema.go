package batch

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// version is the version of our tables. A program refuses tables with a newer version, and updates
// older tables to its own version.
var version = int64(len(schema))

// schema creates the tables; each version adds its statements. The table batch has the counts of
// its jobs, so that progress is one row. Every change of a job locks its batch, so that the rules
// see one change at a time.
var schema = [][]string{{
	`CREATE TABLE batch (
		id          {id},
		name        text NOT NULL UNIQUE,
		created     bigint NOT NULL,
		stop        text NOT NULL DEFAULT '',
		concurrency bigint NOT NULL DEFAULT 0,
		gap         bigint NOT NULL DEFAULT 0, -- between two starts
		budget      bigint NOT NULL DEFAULT 0,
		next        bigint NOT NULL DEFAULT 0, -- start
		spent       bigint NOT NULL DEFAULT 0,
		reserved    bigint NOT NULL DEFAULT 0,
		event       bigint NOT NULL DEFAULT 0, -- the last one given out
		waiting     bigint NOT NULL DEFAULT 0,
		open        bigint NOT NULL DEFAULT 0,
		done        bigint NOT NULL DEFAULT 0,
		failed      bigint NOT NULL DEFAULT 0,
		canceled    bigint NOT NULL DEFAULT 0,
		skipped     bigint NOT NULL DEFAULT 0,
		chained     bigint NOT NULL DEFAULT 0, -- some job needs another
		kinds       text NOT NULL DEFAULT '[]'
	)`,
	`CREATE TABLE batch_job (
		id       {id},
		batch    bigint NOT NULL REFERENCES batch (id),
		seq      bigint NOT NULL,
		name     text NOT NULL,
		kind     text NOT NULL,
		sum      text NOT NULL, -- of what it is
		payload  text NOT NULL,
		retries  bigint NOT NULL,
		cost     bigint NOT NULL,
		state    text NOT NULL DEFAULT 'waiting',
		wants    bigint NOT NULL DEFAULT 0, -- needs that are not done
		due      bigint NOT NULL DEFAULT 0,
		delivery bigint NOT NULL DEFAULT 0, -- the last one
		tries    bigint NOT NULL DEFAULT 0,
		kills    bigint NOT NULL DEFAULT 0,
		event    bigint NOT NULL DEFAULT 0,
		started  bigint NOT NULL DEFAULT 0,
		ended    bigint NOT NULL DEFAULT 0,
		spent    bigint NOT NULL DEFAULT 0,
		fault    text NOT NULL DEFAULT '',
		result   text NOT NULL DEFAULT '',
		UNIQUE (batch, name)
	)`,
	`CREATE INDEX batch_job_order ON batch_job (batch, seq, id)`,
	`CREATE INDEX batch_job_ready ON batch_job (batch, kind, kills, seq, id) WHERE state = 'waiting' AND wants = 0`,
	`CREATE INDEX batch_job_open ON batch_job (id) WHERE state = 'open'`,
	`CREATE INDEX batch_job_event ON batch_job (batch, event) WHERE event > 0`,
	`CREATE TABLE batch_need (
		job  bigint NOT NULL REFERENCES batch_job (id),
		need bigint NOT NULL REFERENCES batch_job (id),
		PRIMARY KEY (job, need)
	)`,
	`CREATE INDEX batch_need_need ON batch_need (need)`,
	`CREATE TABLE batch_attempt (
		job      bigint NOT NULL REFERENCES batch_job (id),
		delivery bigint NOT NULL,
		worker   text NOT NULL,
		started  bigint NOT NULL,
		ended    bigint NOT NULL,
		how      text NOT NULL,
		spent    bigint NOT NULL,
		fault    text NOT NULL,
		PRIMARY KEY (job, delivery)
	)`,
	`CREATE TABLE batch_worker (
		id      text PRIMARY KEY,
		place   text NOT NULL, -- whose lock files it shares
		slots   bigint NOT NULL,
		started bigint NOT NULL,
		beat    bigint NOT NULL,
		notes   text NOT NULL DEFAULT '{}' -- what its jobs are doing, by id
	)`,
	`CREATE TABLE batch_limit (
		kind  text PRIMARY KEY,
		until bigint NOT NULL
	)`,
}, {
	`CREATE TABLE batch_file (
		name text PRIMARY KEY, -- a hash of the content
		data text NOT NULL -- in base 64
	)`,
}, {
	// From this version on a batch's name is its key, and its label is the name that people use.
	`ALTER TABLE batch ADD COLUMN label text NOT NULL DEFAULT ''`,
	`UPDATE batch SET label = name`,
	`ALTER TABLE batch ADD COLUMN folder text NOT NULL DEFAULT ''`,
	`ALTER TABLE batch ADD COLUMN private bigint NOT NULL DEFAULT 0`,
	`ALTER TABLE batch ADD COLUMN old bigint NOT NULL DEFAULT 0`,
	`ALTER TABLE batch ADD COLUMN starts bigint NOT NULL DEFAULT 0`,
	`ALTER TABLE batch ADD COLUMN per bigint NOT NULL DEFAULT 0`,
	`ALTER TABLE batch ADD COLUMN dearest bigint NOT NULL DEFAULT 0`, // the most expensive attempt so far
	`ALTER TABLE batch ADD COLUMN sum text NOT NULL DEFAULT ''`,      // of the last list of jobs that was added
	`ALTER TABLE batch ADD COLUMN ended bigint NOT NULL DEFAULT 0`,
	`ALTER TABLE batch_job ADD COLUMN begun bigint NOT NULL DEFAULT 0`, // the last delivery that is known to have begun
	`ALTER TABLE batch_job ADD COLUMN held bigint NOT NULL DEFAULT 0`,  // set aside for the open delivery
	`ALTER TABLE batch_job ADD COLUMN log text NOT NULL DEFAULT ''`,
	`UPDATE batch_job SET held = cost WHERE state = 'open'`,
	`ALTER TABLE batch_worker ADD COLUMN host text NOT NULL DEFAULT ''`,
	`ALTER TABLE batch_worker ADD COLUMN unfit text NOT NULL DEFAULT '{}'`, // the reason, by kind of job
	`CREATE TABLE batch_keeper (
		id     bigint PRIMARY KEY, -- 1
		worker text NOT NULL,
		until  bigint NOT NULL,
		crew   text NOT NULL DEFAULT '{}' -- what the workers can do together
	)`,
	`INSERT INTO batch_keeper (id, worker, until) VALUES (1, '', 0)`,
	// Dead entries at the start of batch_job_ready are read under the batch's lock.
	`{postgres}ALTER TABLE batch_job SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`,
	`{postgres}ALTER TABLE batch SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500)`,
	`{postgres}ALTER TABLE batch_worker SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500)`,
	`{postgres}ALTER TABLE river_job SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`,
}, {
	// There are few failed jobs, and people look at them first.
	`CREATE INDEX batch_job_state ON batch_job (batch, state, seq, id) WHERE state <> 'done'`,
}, {
	`ALTER TABLE batch ADD COLUMN turn bigint NOT NULL DEFAULT 0`,      // the most expensive turn so far
	`ALTER TABLE batch ADD COLUMN most_turn bigint NOT NULL DEFAULT 0`, // see account
}, {
	`ALTER TABLE batch_job ADD COLUMN source text NOT NULL DEFAULT ''`, // see List
	`ALTER TABLE batch_job ADD COLUMN gone bigint NOT NULL DEFAULT 0`,  // taken out by its source: it has ended, and does not count
}}

// Errors of a database that a caller may want to tell apart.
var (
	ErrNewer   = errors.New("made by a newer version of this program")
	ErrForeign = errors.New("not a database of batches")
)

var createTable = regexp.MustCompile(`^CREATE TABLE (\w+)`)

// inspect returns the version of our tables, or 0 if there are none. It changes nothing. A database
// with only some of the tables, or with other tables under their names, is an error.
func inspect(ctx context.Context, s store) (int64, error) {
	tables, err := s.tables(ctx)
	if err != nil {
		return 0, err
	}
	have := int64(0)
	if slices.Contains(tables, "batch_version") {
		have, err = number(ctx, s, `SELECT version FROM batch_version`)
	}
	if err == nil && have > 0 {
		tables, err = s.tables(ctx) // another process may have created them in the meantime
	}
	if err != nil {
		return 0, err
	}
	if have > version {
		return have, fmt.Errorf("%w: its tables have version %d, and this one reads at most %d", ErrNewer, have, version)
	}
	for i, statement := range slices.Concat(schema...) {
		m := createTable.FindStringSubmatch(statement)
		if m == nil {
			continue
		}
		switch there := slices.Contains(tables, m[1]); {
		case there && have == 0:
			return 0, fmt.Errorf("%w: its table %s is of another program", ErrForeign, m[1])
		case !there && i < len(slices.Concat(schema[:have]...)):
			return 0, fmt.Errorf("%w: its table %s is missing", ErrForeign, m[1])
		}
	}
	if have > 0 && !slices.Contains(tables, "river_job") {
		return 0, fmt.Errorf("%w: its table river_job is missing", ErrForeign)
	}
	return have, nil
}

// makeTables creates the missing tables. Only one process is here at a time.
func makeTables(ctx context.Context, s store, river func() error) error {
	if _, err := s.exec(ctx, `CREATE TABLE IF NOT EXISTS batch_version (version bigint NOT NULL)`); err != nil {
		return err
	}
	have, err := number(ctx, s, `SELECT version FROM batch_version`)
	if err != nil || have >= version {
		return err // another process created them in the meantime
	}
	if err := river(); err != nil {
		return err
	}
	tx, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer tx.rollback()
	for _, statement := range slices.Concat(schema[have:]...) {
		if statement, only := strings.CutPrefix(statement, "{postgres}"); only {
			if _, ok := s.(*postgresStore); !ok {
				continue
			}
			if _, err := tx.exec(ctx, statement); err != nil {
				return err
			}
			continue
		}
		if _, err := tx.exec(ctx, statement); err != nil {
			return err
		}
	}
	for _, statement := range []string{`DELETE FROM batch_version WHERE version < $1`, `INSERT INTO batch_version VALUES ($1)`} {
		if _, err := tx.exec(ctx, statement, version); err != nil {
			return err
		}
	}
	return tx.commit(ctx)
}
