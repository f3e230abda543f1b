//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/skillhand/skillhand/internal/test"
)

// driver calls the function of docs/asking.md with each thing that can happen.
const driver = `
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { runClaude } from './run-claude.mjs';

const ask = (play, options) => {
  process.env.CLAUDE_PLAY = play;
  return runClaude({ prompt: 'hello', ...options });
};

let r = await ask('init | echo');
assert.deepEqual([r.success, r.output, r.exitCode, r.error, r.category, r.jsonResult], [true, 'hello', 0, undefined, undefined, undefined]);
assert.match(r.sessionId, /^1111/);

r = await ask('init | result {"a": [1]}');
assert.deepEqual(r.jsonResult, { a: [1] });

r = await ask('init | arguments', { maxTurns: 3, model: 'opus', allowedTools: ['Read', 'Bash(git log:*)'], continueSession: '5e55', outputFile: 'log.jsonl' });
assert.match(r.output, /--allowedTools Read --allowedTools Bash\(git log:\*\) .*--model opus --max-turns 3 --resume 5e55/);
assert.match(readFileSync('log.jsonl', 'utf8'), /"subtype":"init"/);

r = await ask('init | fail 401 Invalid API key');
assert.deepEqual([r.success, r.category, r.kind, r.retryable, r.error], [false, 'auth', 'auth', false, 'Invalid API key']);

r = await ask('init | hide 4721 | hang', { timeout: 500 });
assert.deepEqual([r.success, r.category, r.kind], [false, 'timeout', 'deadline']);

const controller = new AbortController();
const pending = ask('init | hide 4722 | text x | hang', { outputFile: 'abort.jsonl', signal: controller.signal });
while (!existsSync('abort.jsonl') || !readFileSync('abort.jsonl', 'utf8').includes('"x"')) await new Promise((f) => setTimeout(f, 20));
controller.abort();
r = await pending;
assert.deepEqual([r.success, r.category, r.kind], [false, 'logic', 'interrupted']);

process.env.SKILLHAND_CLAUDE = './no-such-claude';
r = await ask('');
assert.deepEqual([r.success, r.category, r.kind, r.exitCode], [false, 'validation', 'missing', -1]);

process.env.PATH = '/nowhere';
await assert.rejects(ask(''), { code: 'ENOENT' });
console.log('all of it');
`

// TestNode runs the function of docs/asking.md.
func TestNode(t *testing.T) {
	node, err := exec.LookPath("node")
	test.Found(t, err)
	page, err := os.ReadFile("../../docs/asking.md")
	if err != nil {
		t.Fatal(err)
	}
	function := regexp.MustCompile("(?s)```js\n(// @ts-check.*?)```").FindSubmatch(page)
	if function == nil {
		t.Fatal("docs/asking.md has no function")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"run-claude.mjs": string(function[1]), "driver.mjs": driver} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(node, "driver.mjs")
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "SKILLHAND_STATE_DIR=" + filepath.Join(dir, "state"),
		"GORACE=" + os.Getenv("GORACE")}
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "all of it\n" {
		t.Errorf("%v\n%s", err, out)
	}
	for _, left := range []string{"sleep 4721", "sleep 4722"} {
		if out, _ := exec.Command("pgrep", "-fx", left).Output(); len(out) > 0 {
			t.Errorf("still alive: %s", left)
		}
	}
}
