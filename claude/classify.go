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

// The categories. Auth and Quota never pass by themselves.
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
	Idle            Kind = "idle"             // no output for --idle-timeout; a longer one, at least 30 s
	Deadline        Kind = "deadline"         // --timeout passed; a longer one, or a smaller task
	BadRequest      Kind = "bad-request"      // 400 and other 4xx; see error
	TooLarge        Kind = "too-large"        // the prompt is too long, 413; less text, or name files instead
	NoModel         Kind = "model"            // 404, no such model, or not for you; another --model
	Usage           Kind = "usage"            // the CLI rejects its arguments or the session, or answers by itself (/context); see error
	Missing         Kind = "missing"          // there is no claude, or it cannot be started; install it, or name it with --claude
	UnknownCommand  Kind = "unknown-command"  // the prompt begins with / and a name that the CLI does not know; correct it
	SchemaNotMet    Kind = "schema"           // the answer does not fit the schema; output has it; ask more clearly
	MaxTurns        Kind = "max-turns"        // --max-turns was not enough; more, or --resume
	Budget          Kind = "budget"           // --max-budget-usd is spent, by up to one turn more; more, or --resume
	Refusal         Kind = "refusal"          // Claude refuses; reword the prompt
	MaxOutput       Kind = "max-output"       // longer than the model can answer; CLAUDE_CODE_MAX_OUTPUT_TOKENS, or smaller pieces
	DirectiveFailed Kind = "directive-failed" // a command in the /skill failed, and the CLI asked nothing; skillhand load shows it
	NoResult        Kind = "no-result"        // the CLI ended without a result; see the transcript
	Crashed         Kind = "crashed"          // the CLI was killed, or died; check memory, see the transcript
	Interrupted     Kind = "interrupted"      // Ctrl-C, SIGTERM, or the caller canceled; nothing
	Unwritable      Kind = "transcript"       // --output could not be written, so the CLI was stopped; check the path and the free space
)

// kinds says of each kind its category, whether it passes, and what people call it.
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
	RetryAfter time.Duration // how long to wait before asking again, if that is known
	Message    string        // the CLI's own words
	Err        error         // the cause, if it was on our side
	Agent      string        // who was asked; "" means Claude

	final bool // asking again does not help, though it may with other errors of the category
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
	stopped    error // why we ended it, if we did
	transcript error // why the transcript could not be written
	now        time.Time
}

// An answer is what a good result says.
type answer struct {
	text string
	json json.RawMessage
}

// verdict decides what a run came to: by the fields of events first, by the
// CLI's error texts second, since they change between versions, and never by
// what Claude says, nor by the exit status alone.
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

// good reports whether a result is an answer. One without turns is the CLI's own.
func (res *result) good() bool {
	return res.fine() && res.Turns >= 1
}

// fine reports whether a result says in so many words that there was no error.
func (res *result) fine() bool {
	return res.Subtype == "success" && string(res.IsError) == "false"
}

// The reasons why we end the CLI.
type deadlineError struct{ after time.Duration }

func (e *deadlineError) Error() string { return fmt.Sprintf("no answer within %s", round(e.after)) }

type idleError struct{ after time.Duration }

func (e *idleError) Error() string { return fmt.Sprintf("no output for %s", e.after) }

var errLingers = errors.New("gave its result but did not exit")

// stop returns the failure of a run that we ended.
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

// isTimeout also knows the deadline of a caller's context.
func isTimeout(err error) bool {
	t, ok := err.(interface{ Timeout() bool })
	return ok && t.Timeout()
}

// noResult returns the failure of a CLI that ended by itself and gave no result.
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
	e.final = !stackTrace.Get().MatchString(said) // it refused to begin, and would again
	return e
}

// Classify says what the text of an error means where nothing but the text is
// known. It is Logic and Crashed if nothing is known of it.
func Classify(text string) (Category, Kind) {
	kind, ok := byWords(strings.TrimSpace(text))
	if !ok {
		kind = Crashed
	}
	return kinds[kind].category, kind
}

// A textKind is a kind of error that texts are known by.
type textKind struct {
	pattern words.Regexp
	kind    Kind
}

// plainTexts are what programs around the CLI say, in the order in which they decide.
var plainTexts = []textKind{
	{words.Regexp(`(?i)rate.?limit|429|too many requests`), RateLimited},
	{words.Regexp(`(?i)ECONNREFUSED|ENOTFOUND|ETIMEDOUT|network|fetch failed`), Connection},
	{words.Regexp(`(?i)timeout|timed.?out`), APITimeout},
	{words.Regexp(`(?i)validation|invalid|schema`), BadRequest},
}

// byWords knows a text that came without an event: the CLI's own usage errors, and
// those of accounts, then the words of others, then what else the CLI says.
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

// stackTrace is how a JavaScript program dies.
var stackTrace = words.Regexp(`(?m)^\s+at .*:\d+:\d+\)?$|^panic: |^fatal error: |Segmentation fault|out of memory`)

// classify says why a result is not good.
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

// noTurns returns the failure of a result that is none of Claude's: nothing was asked of it.
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

// byFault knows the names of errors: the service's, and those of messages that
// the CLI made up.
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

// apiKind says what failed between the CLI and the service.
func apiKind(r *record, text string) Kind {
	res := r.result
	switch {
	// whatever its status
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
	if r.retry != nil { // what it last tried again for
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
		return kind // no field says anything: it may be another program than the CLI
	}
	return ServerError
}

// byStatus knows the HTTP status of an answer.
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
	// The last two are OpenAI's words, and Codex's for them.
	creditGone = words.Regexp(`(?i)^(?:API Error: (?:\d{3} )?)?(?:your )?credit balance is too low` +
		`|\bexceeded your current quota\b|^quota exceeded\. check your plan and billing`)
	// usageFault is what the CLI's own parser of arguments says, whatever words the arguments have.
	usageFault = words.Regexp(`(?m)^error: (?:unknown option|unknown command|option '|missing required|too many ` +
		`arguments|required option|command-argument)` +
		`|^(?:Error: )?--[a-z]|^Error: (?:When using --|Input must be|piped stdin|Settings file|Session ID|Invalid (?:MCP ` +
		`config|session ID|settings))` +
		`|^Error parsing streaming input|^No conversation found`)
	// The status that a text names, where the event has none.
	namedStatus = words.Regexp(`\bAPI Error: (\d{3})\b|\bRequest rejected \((\d{3})\)|\bRepeated (529)\b`)
)

// texts are what the CLI says where no field says it, the more certain first.
var texts = []textKind{
	{words.Regexp(`^Not logged in\b|^Invalid API key\b|(?i)\bfailed to authenticate\b|\b(?:please )?run /login\b` +
		`|\bOAuth token (?:has expired|revoked)|\bdisabled organization\b|\borganization has been disabled\b` +
		`|^Missing environment variable: `), Unauthorized}, // the last is Codex's, without the key of a provider
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
		`|\bcan't reach the API server\b|\bfetch failed\b|\bsocket hang up\b|^API Error: Invalid URL|\bcannot be parsed as a URL\b`), Connection},
	{words.Regexp(`(?i)\boverloaded\b`), Overloaded},
	{words.Regexp(`(?i)\brate.?limit|\btoo many requests\b`), RateLimited},
	{words.Regexp(`(?i)\bempty or malformed response\b|\bserver error mid-response\b|\binternal server error\b`), ServerError},
}

// byText knows the CLI's error texts.
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
