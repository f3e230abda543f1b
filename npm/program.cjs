'use strict';
// Where the skillhand program of this platform is. Each platform has a package of its own, and
// npm installs the one that fits: nothing is downloaded or run at install time.

const fs = require('node:fs');
const path = require('node:path');

const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-arm64', 'win32-x64'];

/** The path of the program for a platform. resolve finds a file of a package, as require.resolve does. */
function program(platform = process.platform, arch = process.arch, resolve = require.resolve) {
  const name = `${platform}-${arch}`;
  if (!platforms.includes(name)) {
    throw new Error(`there is no skillhand for ${name}: go install github.com/skillhand/skillhand/cmd/...@latest`);
  }
  let manifest;
  try {
    manifest = resolve(`@skillhand/${name}/package.json`);
  } catch {
    throw new Error(`the package @skillhand/${name} is missing: install skillhand again, without --omit=optional`);
  }
  const file = path.join(path.dirname(manifest), 'bin', platform === 'win32' ? 'skillhand.exe' : 'skillhand');
  if (!fs.existsSync(file)) {
    throw new Error(`${file} is missing: install skillhand again`);
  }
  return file;
}

module.exports = { program };
