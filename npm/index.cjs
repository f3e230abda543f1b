'use strict';
// skillhand for Node: each function starts the program once and returns the document that it prints.

const { spawn } = require('node:child_process');
const fs = require('node:fs/promises');
const os = require('node:os');
const path = require('node:path');
const { createInterface } = require('node:readline');
const { program } = require('./program.cjs');

/** Why there is no answer. The category decides what to do about it. */
class SkillhandError extends Error {
  constructor(message, { category, kind, retryable = false, retryAfterMs = null, exitCode = null, document = null, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'SkillhandError';
    Object.assign(this, { category, kind, retryable, retryAfterMs, exitCode, document });
  }
}

const usage = (message) => new SkillhandError(message, { category: 'validation', kind: 'usage' });

// Programs that run now. If this process ends they must not outlive it.
const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill()));

function find() {
  try {
    return program();
  } catch (err) {
    throw new SkillhandError(err.message, { category: 'validation', kind: 'missing', cause: err });
  }
}

/**
 * Starts the program, hands over input, and gives each document that it prints to onDocument.
 * It settles after the program has ended, so that an abort leaves nothing behind.
 */
function start(args, { cwd, env, signal, input = '', program: file } = {}, onDocument) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const child = spawn(file ?? find(), args, { cwd, env: { ...process.env, ...env }, windowsHide: true });
    running.add(child);
    const stderr = [];
    let failed;
    child.stderr.on('data', (data) => stderr.push(data));
    child.stdin.on('error', () => {}); // it may end before it has read everything
    child.stdin.end(input);
    const lines = createInterface({ input: child.stdout, crlfDelay: Infinity });
    lines.on('line', (line) => {
      try {
        if (line.trim() !== '') onDocument(JSON.parse(line));
      } catch (err) {
        failed ??= new SkillhandError(`skillhand printed what is not JSON: ${line.slice(0, 200)}`, { category: 'logic', kind: 'crashed', cause: err });
      }
    });
    const read = new Promise((done) => lines.on('close', done));
    // An interrupt, as Ctrl-C gives it: the program then ends what it started.
    const abort = () => child.kill('SIGINT');
    signal?.addEventListener('abort', abort, { once: true });
    child.on('error', (err) => {
      failed = new SkillhandError(`skillhand cannot be started: ${err.message}`, { category: 'validation', kind: 'missing', cause: err });
    });
    child.on('close', async (code, end) => {
      running.delete(child);
      signal?.removeEventListener('abort', abort);
      await read;
      if (signal?.aborted) {
        reject(signal.reason);
      } else if (failed) {
        reject(failed);
      } else {
        resolve({ exitCode: end ? 128 + os.constants.signals[end] : code, stderr: Buffer.concat(stderr).toString() });
      }
    });
  });
}

/** The document that the program prints, or an error in the program's own words. */
async function one(args, options) {
  let document;
  const { exitCode, stderr } = await start(args, options, (printed) => { document = printed; });
  if (document === undefined || isFailure(document)) {
    throw failure(document?.error ?? stderr, exitCode);
  }
  return { document, exitCode };
}

/** Whether a document is what every command prints if it has nothing else to print: see failure-v1.schema.json. */
function isFailure(document) {
  return Object.keys(document).sort().join() === 'error,exit_status';
}

// What an exit status means where there is no other document.
const statuses = {
  2: ['validation', 'usage'], 3: ['validation', 'missing'], 4: ['network', 'server-error'], 5: ['auth', 'auth'], 124: ['timeout', 'deadline'], 130: ['logic', 'interrupted'],
};

function failure(stderr, exitCode) {
  const [category, kind] = statuses[exitCode] ?? ['logic', 'crashed'];
  const message = stderr.trim().replace(/^skillhand: /, '') || `skillhand ended with ${exitCode} and no document`;
  return new SkillhandError(message, { category, kind, retryable: exitCode === 4, exitCode });
}

/** Flags out of [flag, value] pairs: true is the flag alone, a list repeats it, nothing leaves it out. */
function flags(pairs) {
  return pairs.flatMap(([flag, value]) => {
    if (value === undefined || value === null || value === false) return [];
    if (value === true) return [flag];
    return [value].flat().map((v) => `${flag}=${v}`);
  });
}

function milliseconds(name, value) {
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !(value >= 0)) throw usage(`${name} is ${value}, want milliseconds`);
  return `${value}ms`;
}

function askOptions(prompt, options) {
  const all = typeof prompt === 'string' ? { ...options, prompt } : { ...prompt };
  if (typeof all.prompt !== 'string' || all.prompt === '') throw usage('the prompt is empty');
  return all;
}

/** The arguments of skillhand ask. schema is a file's path by now. */
function askArguments(o, schema, form) {
  return ['ask', '-', form, ...flags([
    ['--agent', o.agent], ['--skill', o.skill], ['--args', o.args], ['--strict', o.strict], ['--label', o.label], ['--model', o.model],
    ['--max-turns', o.maxTurns], ['--allowed-tool', o.allowedTools], ['--resume', o.continueSession], ['--continue', o.continueLast],
    ['--max-budget-usd', o.maxBudgetUsd], ['--schema', schema], ['--report', o.report], ['--output-file', o.outputFile],
    ['--timeout', milliseconds('timeout', o.timeout)], ['--idle-timeout', milliseconds('idleTimeout', o.idleTimeout)],
    ['--retries', o.retries], ['--claude', o.claude],
  ]), ...(o.cliArguments?.length ? ['--', ...o.cliArguments] : [])];
}

/** Calls use with a file that holds the schema, and removes the file. */
async function withSchema(schema, use) {
  if (schema === undefined || typeof schema === 'string') return use(schema);
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'skillhand-'));
  try {
    const file = path.join(folder, 'schema.json');
    await fs.writeFile(file, JSON.stringify(schema));
    return await use(file);
  } finally {
    await fs.rm(folder, { recursive: true, force: true });
  }
}

function answered(document, exitCode) {
  if (document.success) return document;
  throw new SkillhandError(document.error || `${document.category} (${document.kind})`, {
    category: document.category, kind: document.kind, retryable: document.retryable, retryAfterMs: document.retry_after_ms, exitCode, document,
  });
}

/** Asks Claude, or another agent. */
async function ask(prompt, options) {
  const o = askOptions(prompt, options);
  return withSchema(o.schema, async (schema) => {
    const { document, exitCode } = await one(askArguments(o, schema, '--json'), { ...o, input: o.prompt });
    return answered(document, exitCode);
  });
}

/** Asks, and yields what happens meanwhile. The last event is the document. */
async function* askEvents(prompt, options) {
  const o = askOptions(prompt, options);
  const queue = [];
  let wake = () => {};
  const stop = new AbortController(); // for a reader that stops reading
  const signal = o.signal ? AbortSignal.any([o.signal, stop.signal]) : stop.signal;
  let last;
  const end = withSchema(o.schema, (schema) => start(askArguments(o, schema, '--events'), { ...o, signal, input: o.prompt }, (event) => {
    queue.push(event);
    wake();
  })).then((result) => ({ result }), (error) => ({ error }));
  let ended;
  end.then((value) => {
    ended = value;
    wake();
  });
  try {
    for (;;) {
      while (queue.length > 0) {
        last = queue.shift();
        yield last;
      }
      if (ended) break;
      await new Promise((resolve) => { wake = resolve; });
    }
  } finally {
    if (!ended) {
      stop.abort();
      await end;
    }
  }
  if (ended.error) throw ended.error;
  if (last?.type !== 'result') throw failure(ended.result.stderr, ended.result.exitCode);
  answered(last, ended.result.exitCode);
}

/** Runs a skill's script and judges what it reports. The verdict is a value, also where it is not ok. */
async function run(skill, args = [], options = {}) {
  const { document } = await one(['run', '--json', ...flags([['--timeout', milliseconds('timeout', options.timeout)]]), '--', skill, ...args], options);
  return document;
}

/** Reads a report out of what a script printed. */
async function parse(text, options = {}) {
  const { document } = await one(['parse', '--json', ...flags([
    ['--no-legacy', options.legacy === false], ['--strict', options.strict], ['--default-confidence', options.defaultConfidence],
  ])], { ...options, input: text });
  return document;
}

/** Renders a skill as the agent should read it. */
async function load(skill, options = {}) {
  const asString = typeof options.args === 'string'; // it goes by stdin, whatever is in it
  const words = Array.isArray(options.args) ? options.args : [];
  const { document } = await one(['load', '--json', ...flags([
    ['--session', options.session], ['--root', options.root], ['--plugin-root', options.pluginRoot], ['--dialect', options.dialect],
    ['--full', options.full], ['--strict', options.strict], ['--no-exec', options.noExec], ['--timeout', milliseconds('timeout', options.timeout)],
    ['--args', asString && '-'],
  ]), '--', skill, ...words], { ...options, input: asString ? options.args : '' });
  return document;
}

/** Finds what is wrong with skills. Findings are a value. */
async function check(paths = [], options = {}) {
  const { document } = await one(['check', '--json', ...flags([['--as', options.as], ['--agents', options.agents?.join(',')]]), '--', ...[paths].flat()], options);
  return document;
}

module.exports = { ask, askEvents, check, load, parse, run, program, SkillhandError };
