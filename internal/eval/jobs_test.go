package eval

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/internal/batch/jobs"
	"github.com/skillhand/skillhand/internal/here"
)

func TestLockedOut(t *testing.T) {
	t.Parallel()
	auth := errors.New("not logged in")
	tests := []struct {
		why   batch.Stop
		agent string
		env   here.Env
		goos  string
		want  string // the added text
	}{
		{batch.Credentials, "", nil, "linux", "CLAUDE_CODE_OAUTH_TOKEN (from claude setup-token)"},
		{batch.Credentials, "", nil, "darwin", "they do not find a login in the keychain"},
		{batch.Credentials, "", here.Env{"ANTHROPIC_API_KEY=x"}, "darwin", ""},
		{batch.Credentials, "codex", here.Env{"ANTHROPIC_API_KEY=x"}, "linux", "with the key: --env NAME"},
		{batch.Limit, "", nil, "darwin", ""},
	}
	for _, tt := range tests {
		got := LockedOut(auth, tt.why, tt.agent, tt.env, tt.goos)
		if tt.want == "" && got != auth || tt.want != "" && !strings.Contains(got.Error(), tt.want) || !errors.Is(got, auth) {
			t.Errorf("%v on %s with %v: %v", tt.why, tt.goos, tt.env, got)
		}
		if strings.Contains(fmt.Sprint(got), "keychain") != (tt.goos == "darwin" && tt.want != "") {
			t.Errorf("%s: %v", tt.goos, got)
		}
	}
}

func TestAfterTrial(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	tests := []struct {
		err  error
		want batch.Retry // except for its text
	}{
		{nil, batch.Retry{}},
		{&claude.Error{Category: claude.RateLimit, Kind: claude.RateLimited, RetryAfter: time.Minute},
			batch.Retry{Again: true, After: time.Minute}},
		{&claude.Error{Category: claude.Timeout, Kind: claude.Deadline}, batch.Retry{Again: true, CostUnknown: true}},
		{&claude.Error{Category: claude.Timeout, Kind: claude.Idle}, batch.Retry{Again: true, CostUnknown: true}},
		{&claude.Error{Category: claude.Logic, Kind: claude.Crashed}, batch.Retry{Again: true, CostUnknown: true}},
		{&claude.Error{Category: claude.Logic, Kind: claude.NoResult}, batch.Retry{Again: true, CostUnknown: true}},
		{&claude.Error{Category: claude.Logic, Kind: claude.Budget}, batch.Retry{}},
		{&claude.Error{Category: claude.Quota, Kind: claude.UsageLimit, RetryAfter: time.Hour}, batch.Retry{Until: now.Add(time.Hour)}},
		{&claude.Error{Category: claude.Quota, Kind: claude.UsageLimit}, batch.Retry{Stop: batch.Limit}},
		{&claude.Error{Category: claude.Auth, Kind: claude.Unauthorized}, batch.Retry{Stop: batch.Credentials}},
		{&claude.Error{Category: claude.Validation, Kind: claude.NoModel}, batch.Retry{Stop: jobs.Refused}},
		{&claude.StartError{Err: errors.New("no claude")}, batch.Retry{Unfit: true}},
		{errors.New("the disk is full"), batch.Retry{Stop: jobs.Refused}},
	}
	for _, tt := range tests {
		got := afterTrial(tt.err, 0.5, now)
		if (got.Error == "") != (tt.err == nil) || got.CostUSD != 0.5 {
			t.Errorf("%v: %+v", tt.err, got)
		}
		if got.Error, got.CostUSD = "", 0; got != tt.want {
			t.Errorf("%v: %+v, want %+v", tt.err, got, tt.want)
		}
	}
}

// TestScratch checks that the end of a trial removes the worker's folder, but not while another
// trial begins in it.
func TestScratch(t *testing.T) {
	t.Parallel()
	parent := filepath.Join(t.TempDir(), "worker")
	var m Maker
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 300 {
				_, end, err := m.scratch(parent)
				if err != nil {
					t.Error(err)
					return
				}
				end()
			}
		})
	}
	all.Wait()
	if _, err := os.Stat(parent); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is left: %v", err)
	}
}
