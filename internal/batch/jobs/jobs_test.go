package jobs

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/skillhand/skillhand/claude"
	"github.com/skillhand/skillhand/internal/batch"
	"github.com/skillhand/skillhand/report"
	"github.com/skillhand/skillhand/report/verdict"
)

func TestAfterAsk(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	tests := []struct {
		err  error
		want batch.Retry // without its text
	}{
		{nil, batch.Retry{}},
		{&claude.Error{Category: claude.RateLimit, Kind: claude.RateLimited, RetryAfter: time.Minute},
			batch.Retry{Again: true, After: time.Minute}},
		{&claude.Error{Category: claude.Network, Kind: claude.ServerError}, batch.Retry{Again: true}},
		{&claude.Error{Category: claude.Quota, Kind: claude.UsageLimit, RetryAfter: time.Hour}, batch.Retry{Until: now.Add(time.Hour)}},
		{&claude.Error{Category: claude.Quota, Kind: claude.UsageLimit}, batch.Retry{Stop: batch.Limit}},
		{&claude.Error{Category: claude.Quota, Kind: claude.Billing}, batch.Retry{Stop: batch.Credentials}},
		{&claude.Error{Category: claude.Auth, Kind: claude.Unauthorized}, batch.Retry{Stop: batch.Credentials}},
		{&claude.Error{Category: claude.Timeout, Kind: claude.Deadline}, batch.Retry{CostUnknown: true}},
		{&claude.Error{Category: claude.Timeout, Kind: claude.Idle}, batch.Retry{Again: true, CostUnknown: true}},
		{&claude.Error{Category: claude.Logic, Kind: claude.MaxTurns}, batch.Retry{}},
		{&claude.StartError{Err: errors.New("no claude")}, batch.Retry{Unfit: true}},
		{errors.New("other"), batch.Retry{}},
	}
	for _, tt := range tests {
		got := AfterAsk(tt.err, now)
		if (got.Error == "") != (tt.err == nil) {
			t.Errorf("%v: %q", tt.err, got.Error)
		}
		if got.Error = ""; got != tt.want {
			t.Errorf("%v: %+v, want %+v", tt.err, got, tt.want)
		}
	}
}

// The error of a script that crashed does not mention its missing report.
func TestAfterRun(t *testing.T) {
	t.Parallel()
	noReport, exit := verdict.Problem{
		Code:    string(report.NoReport),
		Message: "No report found",
	}, verdict.Problem{Code: verdict.ExitStatus, Message: "exit status 3"}
	tests := []struct {
		v    verdict.Verdict
		want batch.Retry
	}{
		{verdict.Verdict{OK: true}, batch.Retry{}},
		{verdict.Verdict{Exit: 3, Problems: []verdict.Problem{noReport, exit}}, batch.Retry{Error: "exit status 3"}},
		{verdict.Verdict{Problems: []verdict.Problem{noReport}}, batch.Retry{Error: "No report found"}},
		{verdict.Verdict{Exit: 75, Problems: []verdict.Problem{exit}}, batch.Retry{Error: "exit status 3", Again: true}},
	}
	for _, tt := range tests {
		if got := AfterRun(&tt.v); got != tt.want {
			t.Errorf("%+v: %+v, want %+v", tt.v, got, tt.want)
		}
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	var last string
	w := &tail{line: func(text string) { last = text }}
	for range 1000 {
		_, _ = w.Write([]byte("a line of some length\n"))
	}
	_, _ = w.Write([]byte("the la"))
	_, _ = w.Write([]byte("st\n"))
	text := w.text()
	if last != "the last" || !strings.HasSuffix(text, "length\nthe last") || !strings.HasPrefix(text, "…\na line") || len(text) > maxLog+4 {
		t.Errorf("%q, %q", last, text)
	}
}
