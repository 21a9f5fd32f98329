#!/usr/bin/env node
// Checks what the program needs before any of it is loaded, then runs it.
import { existsSync } from 'node:fs';

const REQUIRED = [20, 19];
const [major, minor] = process.versions.node.split('.').map(Number);
const compiled = new URL('../dist/src/main.js', import.meta.url);

function refuse(error, cure) {
  process.stderr.write(`error: ${error}\ncure: ${cure}\n`);
  process.exit(1);
}

if (major < REQUIRED[0] || (major === REQUIRED[0] && minor < REQUIRED[1])) {
  refuse(
    `Node.js ${process.versions.node} is too old; carillon requires ${REQUIRED.join('.')} or newer`,
    'install Node.js 24',
  );
}
if (!existsSync(compiled)) refuse('the program is not compiled', 'run "npm run build"');
await import(compiled.href);
