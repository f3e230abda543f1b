package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/skillhand/skillhand/internal/cli"
	"github.com/skillhand/skillhand/internal/here"
	"github.com/skillhand/skillhand/internal/session"
	"github.com/skillhand/skillhand/internal/trust"
)

// maxEvent is how many bytes of an event are read. A tool's input can be large, but nothing here
// needs it.
const maxEvent = 16 << 20

func newHook(std *cli.Std) *cobra.Command {
	return &cobra.Command{
		Use:   "hook",
		Short: "Answer a Claude Code hook event on stdin",
		Long: `Answer a Claude Code hook event on stdin. From these events skillhand load knows
what an agent has seen: compaction and /clear make the agent forget, and a new
subagent has seen nothing. If you switched on a gate, hook also runs the checks of a
skill when an agent stops. The plugin that ships with skillhand calls hook for every
event it needs.

hook never fails: after any error it prints {} and a message on stderr, so that the
session continues.`,
		Example:            `  echo '{"hook_event_name":"PreCompact","session_id":"abc"}' | skillhand hook`,
		DisableFlagParsing: true, // an unknown flag must not end with status 2, which blocks the session
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && (args[0] == "-h" || args[0] == "--help") {
				return cmd.Help()
			}
			answer, err := answerHook(cmd.Context(), std)
			if err != nil {
				fmt.Fprintf(std.Err, "skillhand: %v\n", err)
			}
			if err := std.PrintJSON(answer); err != nil {
				fmt.Fprintf(std.Err, "skillhand: %v\n", err)
			}
			return nil
		},
	}
}

// answerHook reads and answers one event. A panic is an error too: Go would end
// it with status 2, and that would block the session.
func answerHook(ctx context.Context, std *cli.Std) (answer session.Answer, err error) {
	defer func() {
		if r := recover(); r != nil {
			answer, err = session.Answer{}, fmt.Errorf("hook: %v", r)
		}
	}()
	std.Waiting("reading a hook event from stdin: Claude Code calls this command itself; Ctrl-D ends the event")
	data, err := readEvent(std.In)
	if err != nil {
		return session.Answer{}, fmt.Errorf("stdin: %w", err)
	}
	h, err := here.From("", std.Env)
	if err != nil {
		return session.Answer{}, err
	}
	answer, err = h.Sessions().Hook(data)
	if !answer.Stops {
		return answer, err
	}
	gates, gerr := trust.Store{Dir: h.TrustDir()}.Gates()
	if gerr != nil || !gates.Any() {
		return answer, errors.Join(err, gerr)
	}
	answer, gerr = askGate(ctx, std, data)
	return answer, errors.Join(err, gerr)
}

// gateTimeout is longer than the checks may take, and shorter than the plugin allows this hook.
const gateTimeout = 135 * time.Second

// askGate lets the second program decide whether an agent may stop. After any error the agent may
// stop.
func askGate(ctx context.Context, std *cli.Std, event []byte) (session.Answer, error) {
	out, err := std.AskServer(ctx, event, gateTimeout, "done", "--event")
	if err != nil {
		return session.Answer{}, fmt.Errorf("gate: the agent may stop: %w", err)
	}
	var answer session.Answer
	if err := json.Unmarshal(out, &answer); err != nil || answer.Decision != "" && (answer.Decision != "block" || answer.Reason == "") {
		return session.Answer{}, fmt.Errorf("gate: the agent may stop: %s answered %.40q", cli.ServerName, out)
	}
	return answer, nil
}

// readEvent reads one event, and does not wait for the end of the input. It returns input that is
// not JSON unchanged.
func readEvent(in io.Reader) ([]byte, error) {
	var all bytes.Buffer
	var event json.RawMessage
	in = io.TeeReader(io.LimitReader(in, maxEvent), &all)
	if err := json.NewDecoder(in).Decode(&event); err == nil {
		return event, nil
	}
	_, err := io.Copy(io.Discard, in)
	return all.Bytes(), err
}
