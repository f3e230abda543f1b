#!/usr/bin/env node
'use strict';
// Starts the program itself: its streams are ours, and so is its end.

const { spawn } = require('node:child_process');
const { constants } = require('node:os');
const { program } = require('../program.cjs');

let file;
try {
  file = program();
} catch (err) {
  console.error(`skillhand: ${err.message}`);
  process.exit(3);
}
const child = spawn(file, process.argv.slice(2), { stdio: 'inherit' });

// A terminal sends its signals to both of us, so those are the program's to answer. Others
// come to us alone and are handed on.
process.on('SIGINT', () => {});
process.on('SIGQUIT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) {
  process.on(signal, () => child.kill(signal));
}
child.on('error', (err) => {
  console.error(`skillhand: ${file}: ${err.message}`);
  process.exit(3);
});
child.on('close', (code, signal) => {
  process.exit(signal ? 128 + constants.signals[signal] : code);
});
