'use strict';
// Where the skillhand program of this platform is. Each platform has a package of its own, and
// npm installs the one that fits: nothing is downloaded or run at install time.

const fs = require('node:fs');
const path = require('node:path');

const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-arm64', 'win32-x64'];

/**
 * Finds a skillhand in absolute folders of PATH, or returns undefined. A script is passed over: npm's own
 * launcher is one, and would come back to us.
 */
function inPath(name, folders = process.env.PATH ?? '') {
  for (const folder of folders.split(path.delimiter)) {
    const file = path.join(folder, name);
    try {
      fs.accessSync(file, fs.constants.X_OK);
      if (path.isAbsolute(folder) && fs.statSync(file).isFile() && !startsWith(file, '#!')) return file;
    } catch {
      // not here
    }
  }
  return undefined;
}

function startsWith(file, text) {
  const head = Buffer.alloc(text.length);
  const open = fs.openSync(file);
  try {
    fs.readSync(open, head);
  } finally {
    fs.closeSync(open);
  }
  return head.toString('latin1') === text;
}

/**
 * Returns the path of the program for a platform: that of the platform's package, or else, on this platform, the
 * skillhand in PATH. resolve finds a file of a package, as require.resolve does.
 */
function program(platform = process.platform, arch = process.arch, resolve = require.resolve) {
  const name = `${platform}-${arch}`;
  if (!platforms.includes(name)) {
    throw new Error(`there is no skillhand for ${name}: go install github.com/skillhand/skillhand/cmd/...@latest`);
  }
  const base = platform === 'win32' ? 'skillhand.exe' : 'skillhand';
  let manifest;
  try {
    manifest = resolve(`@skillhand/${name}/package.json`);
  } catch {
    const found = name === `${process.platform}-${process.arch}` ? inPath(base) : undefined;
    if (found) return found;
    throw new Error(`the package @skillhand/${name} is missing, and skillhand is not in PATH: install skillhand again, without --omit=optional`);
  }
  const file = path.join(path.dirname(manifest), 'bin', base);
  if (!fs.existsSync(file)) {
    throw new Error(`${file} is missing: install skillhand again`);
  }
  return file;
}

module.exports = { program };
