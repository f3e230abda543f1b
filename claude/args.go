package claude

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/skillhand/skillhand/internal/files"
)

// maxPrompt is how many bytes the CLI accepts on stdin.
const maxPrompt = 10_000_000

// check returns what is wrong with a request, before anything starts.
func (r *Request) check() error {
	switch {
	case strings.TrimSpace(r.Prompt) == "":
		return &RequestError{Field: "prompt", Fault: "is empty"}
	case len(r.Prompt) > maxPrompt:
		fault := fmt.Sprintf("is %d bytes long, and claude takes at most %d: put the text in a file and name the file",
			len(r.Prompt), maxPrompt)
		return &RequestError{Field: "prompt", Fault: fault}
	case r.Resume != "" && r.Continue:
		return &RequestError{Field: "session", Fault: "resume and continue cannot be used together"}
	case r.MaxTurns < 0:
		return &RequestError{Field: "max turns", Fault: "less than 0"}
	case !(r.MaxBudgetUSD >= 0): // also rejects NaN
		return &RequestError{Field: "budget", Fault: "less than 0"}
	}
	if r.Dir == "" {
		return nil
	}
	if info, err := os.Stat(r.Dir); err != nil {
		return &RequestError{Field: r.Dir, Fault: files.Cause(err).Error(), Err: err}
	} else if !info.IsDir() {
		return &RequestError{Field: r.Dir, Fault: "not a folder"}
	}
	return nil
}

// BuildArgs returns the CLI's arguments for a request. The prompt is not among them: it goes to the
// CLI on stdin.
func BuildArgs(r Request) ([]string, error) {
	s, err := newSchema(r.Schema)
	if err != nil {
		return nil, err
	}
	return args(&r, s), nil
}

// args returns the CLI's arguments. The prompt is not among them: an argument is limited to 128 KB,
// and a prompt that begins with a dash would be a flag.
func args(r *Request, s *schema) []string {
	args := []string{"-p"}
	// --allowedTools takes all arguments up to the next flag, so a flag must follow.
	for _, tool := range r.AllowedTools {
		args = append(args, "--allowedTools", tool)
	}
	args = append(args, "--output-format", "stream-json", "--verbose")
	if r.Model != "" {
		args = append(args, "--model", r.Model)
	}
	if r.MaxTurns > 0 {
		args = append(args, "--max-turns", strconv.Itoa(r.MaxTurns))
	}
	if r.MaxBudgetUSD > 0 {
		args = append(args, "--max-budget-usd", strconv.FormatFloat(r.MaxBudgetUSD, 'f', -1, 64))
	}
	if s != nil {
		args = append(args, "--json-schema", s.argument)
	}
	if r.Resume != "" {
		args = append(args, "--resume", r.Resume)
	}
	if r.Continue {
		args = append(args, "--continue")
	}
	return append(args, r.Args...)
}

// goOn is the prompt for a session that was cut off. The request's prompt follows, in case the
// session lost it.
const goOn = "Your previous attempt was cut off. Continue from where you left off, and do not repeat work that is already done. The request was:\n\n"

func (r Request) resumed(session string) Request {
	r.Resume, r.Continue = session, false
	if len(goOn)+len(r.Prompt) <= maxPrompt {
		r.Prompt = goOn + r.Prompt
	}
	return r
}

// JoinPrompt appends the text from stdin to the prompt, as claude -p does.
func JoinPrompt(prompt, piped string) string {
	if prompt == "" || piped == "" {
		return prompt + piped
	}
	return prompt + "\n" + piped
}
