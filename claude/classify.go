package claude

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/skillhand/skillhand/internal/words"
)

// A Category says what to do about a failure.
type Category string

// The categories. Failures of Auth and Quota never go away by themselves.
const (
	Network    Category = "network"
	RateLimit  Category = "rate-limit"
	Timeout    Category = "timeout"
	Validation Category = "validation"
	Logic      Category = "logic"
	Auth       Category = "auth"
	Quota      Category = "quota"
)

// A Kind says what happened.
type Kind string

// The kinds of failures: what happened; what to do. docs/asking.md has them as a table.
const (
	RateLimited     Kind = "rate-limited"     // 429, too many requests; wait for retry_after_ms, ask less often
	Overloaded      Kind = "overloaded"       // 529, the service is at capacity; wait, or -- --fallback-model M
	UsageLimit      Kind = "usage-limit"      // the plan's limit is reached; come back after retry_after_ms, if the CLI said when it resets
	Billing         Kind = "billing"          // no credit, 402; check your billing
	Unauthorized    Kind = "auth"             // 401, 403, not logged in; claude auth login, or the right ANTHROPIC_API_KEY
	Connection      Kind = "connection"       // refused, reset, no DNS, a wrong URL; check the network, the proxy, ANTHROPIC_BASE_URL
	ServerError     Kind = "server-error"     // 5xx, 409, an unusable answer, an error in mid-stream; wait, check any gateway in between
	APITimeout      Kind = "api-timeout"      // the service did not answer the CLI in time, 408; wait; API_TIMEOUT_MS is the CLI's limit
	Idle            Kind = "idle"             // no output for --idle-timeout; set a longer time, at least 30 s
	Deadline        Kind = "deadline"         // --timeout passed; set a longer time, or ask for less
	BadRequest      Kind = "bad-request"      // 400 and other 4xx; see error
	TooLarge        Kind = "too-large"        // the prompt is too long, 413; shorten it, or name files instead
	NoModel         Kind = "model"            // 404, the model does not exist, or you may not use it; choose another --model
	Usage           Kind = "usage"            // the CLI rejects its arguments or the session, or answers by itself (/context); see error
	Missing         Kind = "missing"          // claude does not exist, or cannot be started; install it, or name it with --claude
	UnknownCommand  Kind = "unknown-command"  // the prompt begins with / and a name that the CLI does not know; correct the name
	SchemaNotMet    Kind = "schema"           // the answer does not fit the schema; output has the answer; ask more clearly
	MaxTurns        Kind = "max-turns"        // the answer needs more turns than --max-turns; allow more, or --resume
	Budget          Kind = "budget"           // --max-budget-usd is spent, by up to one turn more; allow more, or --resume
	Refusal         Kind = "refusal"          // Claude refuses; reword the prompt
	MaxOutput       Kind = "max-output"       // longer than the model's limit; CLAUDE_CODE_MAX_OUTPUT_TOKENS, or ask for smaller pieces
	DirectiveFailed Kind = "directive-failed" // a command in the /skill failed, so nothing was asked; skillhand load shows the command
	NoResult        Kind = "no-result"        // the CLI ended without a result; see the transcript
	Crashed         Kind = "crashed"          // the CLI was killed, or died; check memory, see the transcript
	Interrupted     Kind = "interrupted"      // Ctrl-C, SIGTERM, or the caller canceled; nothing
	Unwritable      Kind = "transcript"       // --output could not be written, so the CLI was stopped; check the path and the free space
)

// kinds has each kind's category, whether the failure may go away by itself, and its name in
// messages.
var kinds = map[Kind]struct {
	category Category
	passes   bool
	name     string
}{
	RateLimited:     {RateLimit, true, "rate limited"},
	Overloaded:      {RateLimit, true, "the service is overloaded"},
	UsageLimit:      {Quota, false, "usage limit reached"},
	Billing:         {Quota, false, "no credit"},
	Unauthorized:    {Auth, false, "not authorized"},
	Connection:      {Network, true, "no connection"},
	ServerError:     {Network, true, "server error"},
	APITimeout:      {Timeout, true, "the service did not answer in time"},
	Idle:            {Timeout, true, "idle"},
	Deadline:        {Timeout, false, "timed out"},
	BadRequest:      {Validation, false, "bad request"},
	TooLarge:        {Validation, false, "too large"},
	NoModel:         {Validation, false, "no such model"},
	Usage:           {Validation, false, "wrong usage"},
	Missing:         {Validation, false, "cannot be started"},
	UnknownCommand:  {Validation, false, "unknown command"},
	SchemaNotMet:    {Validation, false, "the answer does not fit the schema"},
	MaxTurns:        {Logic, false, "too many turns"},
	Budget:          {Logic, false, "over budget"},
	Refusal:         {Logic, false, "refused"},
	MaxOutput:       {Logic, false, "the answer is too long"},
	DirectiveFailed: {Logic, false, "a command in the skill failed"},
	NoResult:        {Logic, true, "ended without a result"},
	Crashed:         {Logic, true, "crashed"},
	Interrupted:     {Logic, false, "interrupted"},
	Unwritable:      {Logic, false, "the transcript cannot be written"},
}

// An Error says why Claude gave no answer.
type Error struct {
	Category   Category
	Kind       Kind
	RetryAfter time.Duration // how long to wait before asking again, if known
	Message    string        // the CLI's own words
	Err        error         // the cause, if it was on our side
	Agent      string        // the agent that was asked; "" means Claude

	final bool // asking again does not help, although it may for other errors of the kind
}

// Temporary reports whether asking again may help.
func (e *Error) Temporary() bool { return kinds[e.Kind].passes && !e.final }

func (e *Error) Error() string {
	text := cmp.Or(e.Agent, "claude") + ": " + kinds[e.Kind].name
	if e.Message != "" {
		text += ": " + e.Message
	}
	if e.RetryAfter > 0 {
		text += fmt.Sprintf(", try again in %s", round(e.RetryAfter))
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

func round(d time.Duration) time.Duration {
	if d > time.Minute {
		return d.Round(time.Second)
	}
	return d.Round(100 * time.Millisecond)
}

func failed(kind Kind, message string) *Error {
	return &Error{Category: kinds[kind].category, Kind: kind, Message: strings.TrimSpace(message)}
}

// An ending says how a run of the CLI ended.
type ending struct {
	exit       int
	signal     int
	stderr     string
	stopped    error // why we stopped the CLI, if we did
	transcript error // why the transcript could not be written
	now        time.Time
}

// An answer is the content of a good result.
type answer struct {
	text string
	json json.RawMessage
}

// verdict decides how a run ended. It first looks at the fields of events, then at the CLI's error
// messages, because these change between versions. It never judges by Claude's words, nor by the
// exit status alone.
func verdict(ctx context.Context, r *record, end ending, s *schema) (answer, *Error) {
	switch {
	case end.transcript != nil:
		e := failed(Unwritable, end.transcript.Error())
		e.Err = end.transcript
		return answer{}, e
	case r.result == nil && end.stopped != nil:
		return answer{}, stop(end.stopped)
	case r.result == nil:
		return answer{}, noResult(r, end)
	case !r.result.good():
		e := classify(r)
		e.RetryAfter = retryAfter(e, r, end.now)
		return answer{}, e
	}
	found, err := s.find(ctx, r.result)
	a := answer{text: r.result.Text, json: found}
	if err != nil && ctx.Err() != nil {
		return a, stop(context.Cause(ctx))
	}
	if err != nil {
		return a, failed(SchemaNotMet, err.Error())
	}
	return a, nil
}

// good reports whether a result is an answer. A result without turns comes from the CLI itself.
func (res *result) good() bool {
	return res.fine() && res.Turns >= 1
}

// fine reports whether a result says explicitly that there was no error.
func (res *result) fine() bool {
	return res.Subtype == "success" && string(res.IsError) == "false"
}

// The reasons why we stop the CLI.
type deadlineError struct{ after time.Duration }

func (e *deadlineError) Error() string { return fmt.Sprintf("no answer within %s", round(e.after)) }

type idleError struct{ after time.Duration }

func (e *idleError) Error() string { return fmt.Sprintf("no output for %s", e.after) }

var errLingers = errors.New("gave its result but did not exit")

// stop returns the failure of a run that we stopped.
func stop(why error) *Error {
	var deadline *deadlineError
	var idle *idleError
	kind := Interrupted
	switch {
	case errors.As(why, &idle):
		kind = Idle
	case errors.As(why, &deadline), isTimeout(why):
		kind = Deadline
	}
	e := failed(kind, "")
	if kind != Interrupted {
		e.Message = why.Error()
	}
	e.Err = why
	return e
}

// isTimeout reports whether an error is a timeout. The deadline of a caller's context is a timeout
// too.
func isTimeout(err error) bool {
	t, ok := err.(interface{ Timeout() bool })
	return ok && t.Timeout()
}

// noResult returns the failure of a CLI that ended by itself without a result.
func noResult(r *record, end ending) *Error {
	said := strings.TrimSpace(end.stderr)
	if said == "" {
		said = strings.TrimSpace(string(r.plain))
	}
	switch {
	case end.signal != 0 || end.exit > 128 || end.exit < 0:
		return failed(Crashed, cmp.Or(said, fmt.Sprintf("exit status %d", end.exit)))
	case end.exit == 0 || said == "":
		return failed(NoResult, cmp.Or(said, fmt.Sprintf("exit status %d", end.exit)))
	}
	kind, known := byWords(said)
	switch {
	case known:
		return failed(kind, said)
	case r.began || strings.TrimSpace(end.stderr) == "":
		return failed(NoResult, said)
	}
	e := failed(Crashed, said)
	e.final = !stackTrace.Get().MatchString(said) // the CLI refused to start, and would refuse again
	return e
}

// Classify returns what an error message means if only the message is known. For an unknown message
// it returns Logic and Crashed.
func Classify(text string) (Category, Kind) {
	kind, ok := byWords(strings.TrimSpace(text))
	if !ok {
		kind = Crashed
	}
	return kinds[kind].category, kind
}

// A textKind is a kind of error and a pattern for its messages.
type textKind struct {
	pattern words.Regexp
	kind    Kind
}

// plainTexts match messages of programs around the CLI. The first match decides.
var plainTexts = []textKind{
	{words.Regexp(`(?i)rate.?limit|429|too many requests`), RateLimited},
	{words.Regexp(`(?i)ECONNREFUSED|ENOTFOUND|ETIMEDOUT|network|fetch failed`), Connection},
	{words.Regexp(`(?i)timeout|timed.?out`), APITimeout},
	{words.Regexp(`(?i)validation|invalid|schema`), BadRequest},
}

// byWords returns the kind of an error message that came without an event. It tries the CLI's usage
// errors and account errors first, then the messages of other programs, then the other messages of
// the CLI.
func byWords(text string) (Kind, bool) {
	if usageFault.Get().MatchString(text) {
		return Usage, true
	}
	known, ok := byText(text)
	if ok && (kinds[known].category == Auth || kinds[known].category == Quota) {
		return known, true
	}
	for _, t := range plainTexts {
		if t.pattern.Get().MatchString(text) {
			return t.kind, true
		}
	}
	return known, ok
}

// stackTrace matches the output of a JavaScript program that crashed.
var stackTrace = words.Regexp(`(?m)^\s+at .*:\d+:\d+\)?$|^panic: |^fatal error: |Segmentation fault|out of memory`)

// classify returns why a result is not good.
func classify(r *record) *Error {
	res := r.result
	text := res.Text
	if len(res.Errors) > 0 {
		text = strings.Join(res.Errors, "\n")
	}
	if res.fine() {
		return noTurns(r, text)
	}
	if kind, ok := bySubtype[res.Subtype]; ok {
		return failed(kind, text)
	}
	if kind, ok := byTerminal[res.Terminal]; ok {
		return failed(kind, text)
	}
	if res.Subtype == "error_during_execution" && strings.Contains(text, noConversation) {
		return failed(Usage, text)
	}
	return failed(apiKind(r, text), text)
}

// noTurns returns the failure of a result that Claude did not write: the CLI asked the model
// nothing.
func noTurns(r *record, text string) *Error {
	if r.local != "" {
		text = r.local
	}
	switch {
	case strings.Contains(text, "Shell command failed for pattern"),
		strings.Contains(text, "Shell command permission check failed for pattern"):
		return failed(DirectiveFailed, text)
	case strings.HasPrefix(text, "Unknown command"), strings.HasPrefix(text, "Unknown skill"),
		strings.HasPrefix(text, "Unknown slash command"):
		return failed(UnknownCommand, text)
	case r.local != "":
		return failed(Usage, text)
	}
	return failed(Usage, "claude answered by itself, without asking the model: "+text)
}

var bySubtype = map[string]Kind{
	"error_max_turns":                     MaxTurns,
	"error_max_budget_usd":                Budget,
	"error_max_structured_output_retries": SchemaNotMet,
}

var byTerminal = map[string]Kind{
	"max_turns":                         MaxTurns,
	"budget_exhausted":                  Budget,
	"structured_output_retry_exhausted": SchemaNotMet,
	"prompt_too_long":                   TooLarge,
	"aborted_tools":                     Interrupted,
	"aborted_streaming":                 Interrupted,
}

// byFault maps the names of errors to kinds: names from the service, and names in messages that the
// CLI made up.
var byFault = map[string]Kind{
	"overloaded_error":      Overloaded,
	"rate_limit_error":      RateLimited,
	"authentication_error":  Unauthorized,
	"permission_error":      Unauthorized,
	"not_found_error":       NoModel,
	"request_too_large":     TooLarge,
	"timeout_error":         APITimeout,
	"authentication_failed": Unauthorized,
	"rate_limit":            RateLimited,
	"overloaded":            Overloaded,
	"model_not_found":       NoModel,
	"billing_error":         Billing,
	"max_output_tokens":     MaxOutput,
	"connection_failed":     Connection,
}

// apiKind returns what failed between the CLI and the service.
func apiKind(r *record, text string) Kind {
	res := r.result
	switch {
	// These count whatever the status is.
	case res.APIError == "usage_limit_reached", r.limit.Status == "rejected" && (res.Status == 0 || res.Status == 429), usageLimit(text):
		return UsageLimit
	case r.fault == "billing_error", res.APIType == "billing_error", creditGone.Get().MatchString(text):
		return Billing
	case res.APIError == "org_disabled_credential":
		return Unauthorized
	case res.Stop == "refusal":
		return Refusal
	}
	if kind, ok := byStatus(res.Status, text); ok {
		return kind
	}
	for _, fault := range []string{res.APIError, res.APIType, r.fault} {
		if kind, ok := byFault[fault]; ok {
			return kind
		}
	}
	if kind, ok := byText(text); ok {
		return kind
	}
	if r.retry != nil { // the error after which the CLI last tried again
		if kind, ok := byStatus(r.retry.Status, text); ok {
			return kind
		}
		if kind, ok := byFault[r.retry.Error]; ok {
			return kind
		}
	}
	switch {
	case r.fault == "invalid_request":
		return BadRequest
	case res.Subtype == "error_during_execution" && r.fault == "" && res.Terminal != "api_error":
		return Crashed
	}
	if kind, ok := byWords(text); ok && r.fault == "" && r.retry == nil {
		return kind // no field says anything: this may be another program than the CLI
	}
	return ServerError
}

// byStatus returns the kind for an HTTP status.
func byStatus(status int, text string) (Kind, bool) {
	switch {
	case status == 400 && tooLong.Get().MatchString(text), status == 413:
		return TooLarge, true
	case status == 401, status == 403:
		return Unauthorized, true
	case status == 402:
		return Billing, true
	case status == 404:
		return NoModel, true
	case status == 408:
		return APITimeout, true
	case status == 409:
		return ServerError, true
	case status == 429:
		return RateLimited, true
	case status == 529:
		return Overloaded, true
	case status >= 400 && status < 500:
		return BadRequest, true
	case status >= 500:
		return ServerError, true
	}
	return "", false
}

var (
	tooLong = words.Regexp(`(?i)^prompt is too long|\bis too long: \d+ tokens\b`)
	// The last two patterns are OpenAI's message, and Codex's version of it.
	creditGone = words.Regexp(`(?i)^(?:API Error: (?:\d{3} )?)?(?:your )?credit balance is too low` +
		`|\bexceeded your current quota\b|^quota exceeded\. check your plan and billing`)
	// usageFault matches errors of the CLI's own argument parser, whatever the arguments contain.
	usageFault = words.Regexp(`(?m)^error: (?:unknown option|unknown command|option '|missing required|too many ` +
		`arguments|required option|command-argument)` +
		`|^(?:Error: )?--[a-z]|^Error: (?:When using --|Input must be|piped stdin|Settings file|Session ID|Invalid (?:MCP ` +
		`config|session ID|settings))` +
		`|^Error parsing streaming input|^No conversation found`)
	// namedStatus finds a status in an error message, for events without a status.
	namedStatus = words.Regexp(`\bAPI Error: (\d{3})\b|\bRequest rejected \((\d{3})\)|\bRepeated (529)\b`)
)

// texts match the CLI's error messages when no field says what happened. The more certain patterns
// come first.
var texts = []textKind{
	{words.Regexp(`^Not logged in\b|^Invalid API key\b|(?i)\bfailed to authenticate\b|\b(?:please )?run /login\b` +
		`|\bOAuth token (?:has expired|revoked)|\bdisabled organization\b|\borganization has been disabled\b` +
		`|^Missing environment variable: `), Unauthorized}, // the last is Codex's, for a provider whose key is missing
	{creditGone, Billing},
	{tooLong, TooLarge},
	{words.Regexp(`^Request too large\b`), TooLarge},
	{words.Regexp(`\bissue with the selected model\b`), NoModel},
	{words.Regexp(`\boutput token maximum\b|\breason: max_output_tokens\b`), MaxOutput}, // the second is Codex's
	{words.Regexp(`\bviolate our Usage Policy\b|\bsafeguards flagged this message\b`), Refusal},
	{words.Regexp(`(?i)^(?:API Error: )?(?:\w+ ){0,3}timed out\b`), APITimeout},
	{words.Regexp(`\b(?:ECONNREFUSED|ETIMEDOUT|ECONNRESET|ENOTFOUND|EAI_AGAIN|EPIPE|ENETUNREACH|EHOSTUNREACH|` +
		`ConnectionRefused|ConnectionClosed|FailedToOpenSocket)\b` +
		`|(?i)\bunable to connect\b|\bconnection (?:refused|dropped|reset|closed|error)\b` +
		`|\bcan't reach the API server\b|\bfetch failed\b|\bsocket hang up\b|^API Error: Invalid URL|\bcannot be parsed as a URL\b`),
		Connection},
	{words.Regexp(`(?i)\boverloaded\b`), Overloaded},
	{words.Regexp(`(?i)\brate.?limit|\btoo many requests\b`), RateLimited},
	{words.Regexp(`(?i)\bempty or malformed response\b|\bserver error mid-response\b|\binternal server error\b`), ServerError},
}

// byText returns the kind of one of the CLI's error messages.
func byText(text string) (Kind, bool) {
	if usageLimit(text) {
		return UsageLimit, true
	}
	if m := namedStatus.Get().FindStringSubmatch(text); m != nil {
		status, _ := strconv.Atoi(m[1] + m[2] + m[3])
		if kind, ok := byStatus(status, text); ok {
			return kind, true
		}
	}
	for _, t := range texts {
		if t.pattern.Get().MatchString(text) {
			return t.kind, true
		}
	}
	return "", false
}
