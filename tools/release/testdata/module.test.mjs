// Uses the installed module as a program of its users would. CLAUDE plays the Claude CLI.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { ask, askEvents, check, load, parse, run, SkillhandError } from 'skillhand';

const claude = process.env.CLAUDE;
const options = { claude, retries: 0 };

async function fails(promise) {
  try {
    await promise;
  } catch (err) {
    return err;
  }
  assert.fail('it did not fail');
}

// A process that has ended, and that nobody has asked for yet, is not alive.
function alive(pid) {
  try {
    process.kill(pid, 0);
    return !existsSync('/proc') || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

// What a played CLI started; nothing, if it was ended before that.
function started(file) {
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
}

async function until(what) {
  while (!what()) await new Promise((resolve) => setTimeout(resolve, 20));
}

test('success, with JSON', async () => {
  const answer = await ask({ prompt: 'hi', ...options });
  assert.match(answer.output, /^You said: hi/);
  assert.deepEqual(answer.json_result, { n: 1 });
  assert.equal(answer.session_id, 's1');
});

test('a schema that the answer fits, and one that it does not', async () => {
  const schema = (type) => ({ type: 'object', properties: { n: { type } }, required: ['n'] });
  assert.deepEqual((await ask('hi', { ...options, schema: schema('number') })).json_result, { n: 1 });
  const err = await fails(ask('hi', { ...options, schema: schema('string') }));
  assert.equal(`${err.category}/${err.kind}`, 'validation/schema');
});

test('a failure has a category', async () => {
  const err = await fails(ask('limit', options));
  assert.ok(err instanceof SkillhandError);
  assert.equal(err.category, 'rate-limit');
  assert.equal(err.retryable, true);
  assert.equal(err.exitCode, 4);
  assert.equal(err.document.success, false);
});

test('a time-out', async () => {
  const pids = process.env.PIDS;
  const err = await fails(ask('hang', { ...options, timeout: 1000 }));
  assert.equal(`${err.category}/${err.kind}`, 'timeout/deadline');
  for (const pid of started(pids)) assert.equal(alive(pid), false);
});

test('an abort leaves nothing behind', async () => {
  const pids = `${process.env.PIDS}-aborted`;
  const stop = new AbortController();
  const asked = fails(ask('hang', { ...options, signal: stop.signal, env: { PIDS: pids } }));
  await until(() => existsSync(pids) && readFileSync(pids, 'utf8').split('\n').length > 2);
  stop.abort(new Error('enough'));
  assert.equal((await asked).message, 'enough');
  for (const pid of started(pids)) assert.equal(alive(pid), false);
});

test('a missing CLI', async () => {
  const err = await fails(ask('hi', { ...options, claude: '/nowhere/claude' }));
  assert.equal(err.category, 'validation');
  assert.equal(err.exitCode, 3);
});

test('a missing skillhand', async () => {
  const err = await fails(ask('hi', { ...options, program: '/nowhere/skillhand' }));
  assert.equal(`${err.category}/${err.kind}`, 'validation/missing');
});

test('wrong usage', async () => {
  assert.equal((await fails(ask({ prompt: '' }))).kind, 'usage');
  assert.equal((await fails(ask('hi', { timeout: '30s' }))).kind, 'usage');
});

test('events', async () => {
  const seen = [];
  for await (const event of askEvents('hi', options)) seen.push(event.type);
  assert.deepEqual(seen, ['start', 'text', 'result']);
  const err = await fails((async () => { for await (const event of askEvents('limit', options)) seen.push(event); })());
  assert.equal(err.category, 'rate-limit');
});

test('a reader of events may stop', async () => {
  const pids = `${process.env.PIDS}-stopped`;
  const events = askEvents('hi', { ...options, env: { PIDS: pids } });
  assert.equal((await events.next()).value.type, 'start');
  await events.return();
});

test('run, parse, load, check', async () => {
  mkdirSync('.claude/skills/greet', { recursive: true });
  writeFileSync('.claude/skills/greet/SKILL.md', '---\nname: greet\ndescription: Greets people. Use when someone arrives.\n---\nGreet $ARGUMENTS. [more](gone.md)\n');
  writeFileSync('.claude/skills/greet/execute.sh', '#!/bin/sh\necho \'{"success":true,"confidence":0.9,"deliverables":["none"],"metrics":{},"errors":[]}\'\n', { mode: 0o755 });
  const page = await load('greet', { args: `Ada "L" $(x) ; -` });
  assert.equal(page.text.split('\n')[0], `Greet Ada "L" $(x) ; -. [more](gone.md)`);
  assert.equal((await load('greet', { args: ['--full', 'Ada'] })).text.split('\n')[0], 'Greet --full Ada. [more](gone.md)');
  const verdict = await run('greet', ['--json'], { env: { SKILLHAND_TRUST: 'all' } });
  assert.equal(verdict.ok, false);
  assert.equal(verdict.problems[0].code, 'DELIVERABLE_MISSING');
  const read = await parse('Created: a.txt\nSUCCESS\n');
  assert.equal(read.output.success, true);
  assert.equal((await parse('SUCCESS', { legacy: false })).success, false);
  const found = await check();
  assert.ok(found.findings.some((f) => f.rule === 'SK201'));
  assert.match((await fails(load('nobody'))).message, /nobody: no such skill/);
});

test('CommonJS has the same', () => {
  const skillhand = createRequire(import.meta.url)('skillhand');
  assert.equal(skillhand.ask, ask);
});
