// The peer of skillhand's reports: what a careful and fast Node program does.
// It parses a report with JSON.parse and makes the same checks.
//
//   node report.mjs time FILE...    nanoseconds to parse and check each file's text, warm
//   node report.mjs files FILE...   parse and check each file, print a line of JSON for each
import { readFileSync, writeSync } from 'node:fs';

const codePattern = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/;

function isObject(v) {
  return typeof v === 'object' && v !== null && !Array.isArray(v);
}

function check(r) {
  const faults = [];
  const fault = (code, path, message) => faults.push({ code, path, message });
  if (typeof r.success !== 'boolean') fault('INVALID_TYPE', '/success', 'Success must be a boolean');
  if (typeof r.confidence !== 'number') fault('INVALID_TYPE', '/confidence', 'Confidence must be a number');
  else if (!(r.confidence >= 0 && r.confidence <= 1)) fault('OUT_OF_RANGE', '/confidence', 'Confidence must be between 0.0 and 1.0');
  if (!Array.isArray(r.deliverables)) fault('INVALID_TYPE', '/deliverables', 'Deliverables must be an array');
  else {
    for (let i = 0; i < r.deliverables.length; i++) {
      const d = r.deliverables[i];
      if (typeof d !== 'string' || d === '') fault('INVALID_TYPE', '/deliverables/' + i, 'Deliverable must be a string');
    }
  }
  if (!isObject(r.metrics)) fault('INVALID_TYPE', '/metrics', 'Metrics must be an object');
  else {
    for (const k in r.metrics) {
      if (!Number.isFinite(r.metrics[k])) fault('INVALID_TYPE', '/metrics/' + k, 'Metric must be a number');
    }
  }
  if (!Array.isArray(r.errors)) fault('INVALID_TYPE', '/errors', 'Errors must be an array');
  else {
    for (let i = 0; i < r.errors.length; i++) {
      const e = r.errors[i];
      if (!isObject(e)) { fault('INVALID_TYPE', '/errors/' + i, 'Error must be an object'); continue; }
      if (typeof e.code !== 'string' || !codePattern.test(e.code)) fault('INVALID_ERROR_CODE', '/errors/' + i + '/code', 'Error code');
      if (typeof e.message !== 'string' || e.message === '') fault('INVALID_TYPE', '/errors/' + i + '/message', 'Error message');
      if (e.stack !== undefined && typeof e.stack !== 'string') fault('INVALID_TYPE', '/errors/' + i + '/stack', 'Error stack');
      if (e.context !== undefined && !isObject(e.context)) fault('INVALID_TYPE', '/errors/' + i + '/context', 'Error context');
      for (const k in e) {
        if (k !== 'code' && k !== 'message' && k !== 'stack' && k !== 'context') fault('UNKNOWN_FIELD', '/errors/' + i + '/' + k, 'Unknown field');
      }
    }
  }
  for (const k in r) {
    if (k !== 'success' && k !== 'confidence' && k !== 'deliverables' && k !== 'metrics' && k !== 'errors') fault('UNKNOWN_FIELD', '/' + k, 'Unknown field');
  }
  return faults;
}

// parse takes what is between the first and the last brace, which is the
// cheapest way to find a report among other text, and is right for these.
function parse(text) {
  if (text.charCodeAt(0) !== 123) text = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
  const report = JSON.parse(text);
  const faults = check(report);
  if (faults.length > 0) throw new Error(JSON.stringify(faults));
  return report;
}

let kept; // so that no work is optimised away

function time(text) {
  const batch = (n) => {
    const began = process.hrtime.bigint();
    for (let i = 0; i < n; i++) kept = parse(text);
    return Number(process.hrtime.bigint() - began) / n;
  };
  let n = 1;
  for (let warm = 0; warm < 5e8; warm += batch(n) * n) if (batch(n) * n < 3e6) n *= 2; // how many take 3 ms
  let best = Infinity; // what else the machine does only makes it slower
  for (let i = 0; i < 100; i++) best = Math.min(best, batch(n));
  return best;
}

const [mode, ...args] = process.argv.slice(2);
if (mode === 'time') {
  for (const file of args) console.log(time(readFileSync(file, 'utf8')));
} else {
  const lines = [];
  for (const input of args) {
    lines.push(JSON.stringify({ input, success: true, parse_method: 'json', output: parse(readFileSync(input, 'utf8')), errors: [], warnings: [] }));
  }
  writeSync(1, lines.join('\n') + '\n');
}
