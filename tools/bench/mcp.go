package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcps measures how a server starts with few and with many skills. It also compares a page that is
// only a file to a server that only reads that file.
func (b *bench) mcps(binary, dir string) error {
	homes := map[int]string{}
	for _, n := range []int{3, 300} {
		homes[n] = filepath.Join(dir, fmt.Sprintf("home-%d", n))
		for i := range n {
			name := fmt.Sprintf("skill-%d", i)
			text := fmt.Sprintf("---\nname: %s\ndescription: Does what the skill with the number %d does.\n---\n", name, i) +
				strings.Repeat("A line of instructions.\n", 200)
			if err := put(homes[n], map[string]string{".claude/skills/" + name + "/SKILL.md": text}); err != nil {
				return err
			}
		}
	}
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`
	const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	var first, tools [2][]time.Duration
	for range 20 {
		for i, n := range []int{3, 300} {
			began := time.Now()
			c, err := b.talk(dir, homes[n], binary, "mcp")
			if err == nil {
				err = c.call(hello)
			}
			if err != nil {
				return err
			}
			first[i] = append(first[i], time.Since(began))
			if err := c.call(list); err != nil {
				return err
			}
			tools[i] = append(tools[i], time.Since(began))
			if err := c.end(); err != nil {
				return err
			}
		}
	}
	few, many := median(first[0]), median(first[1])
	cost("mcp, start to first reply, 300 skills / 3 skills", many, few, "at most 3")
	few, many = median(tools[0]), median(tools[1])
	cost("mcp, start to list of tools, 300 skills / 3 skills", many, few, "")

	// The peer is this program, with the same library, the same pipe and the same file.
	self, err := os.Executable()
	if err != nil {
		return err
	}
	file := filepath.Join(homes[3], ".claude", "skills", "skill-1", "SKILL.md")
	ours, err := b.talk(dir, homes[3], binary, "mcp")
	if err != nil {
		return err
	}
	defer func() { _ = ours.end() }()
	peer, err := b.talk(dir, homes[3], self, readerArgument, file)
	if err != nil {
		return err
	}
	defer func() { _ = peer.end() }()
	var times [2][]time.Duration
	for n := range 1000 {
		for i, c := range []*talker{ours, peer} {
			line := hello
			if n > 0 {
				line = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"load_skill","arguments":{"name":"skill-1"}}}`, n+1)
			}
			began := time.Now()
			if err := c.call(line); err != nil {
				return err
			}
			times[i] = append(times[i], time.Since(began))
		}
	}
	our, their := median(times[0]), median(times[1])
	cost("mcp, load_skill of a static page / reading the file", our, their, "at most 2")
	return nil
}

// A talker exchanges lines with a server.
type talker struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func (b *bench) talk(dir, home string, args ...string) (*talker, error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, append(slices.Clone(b.env), "HOME="+home, "CLAUDE_PLUGIN_ROOT=")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &talker{cmd, in, bufio.NewReader(out)}, cmd.Start()
}

func (t *talker) call(line string) error {
	if _, err := io.WriteString(t.in, line+"\n"); err != nil {
		return err
	}
	answer, err := t.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	var reply struct {
		Result struct{ IsError bool }
		Error  json.RawMessage
	}
	if err := json.Unmarshal(answer, &reply); err != nil || reply.Error != nil || reply.Result.IsError {
		return fmt.Errorf("%s: %s", line, answer)
	}
	return nil
}

func (t *talker) end() error {
	t.in.Close()
	return t.cmd.Wait()
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

// readerArgument makes this program a server with a tool that reads a file.
const readerArgument = "serve-file"

func serveFile(file string) error {
	s := sdk.NewServer(&sdk.Implementation{Name: "reader", Version: "1"}, nil)
	s.AddTool(&sdk.Tool{Name: "load_skill", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}}, nil
		})
	return s.Run(context.Background(), &sdk.StdioTransport{})
}
