// Brings a clone to "installed and built", doing only what changed since the last time. Needs nothing but Node and npm.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { bin, orExit, packages, root, run, say } from './workspace.js';

const stamp = join(root, 'node_modules', '.carillon-installed');

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  say(`Node 20.19 or newer is needed, this is ${process.version}`);
  process.exit(1);
}

/** What an installation depends on: the lockfile, the workspace's own manifests, and Node's binary interface. */
function fingerprint() {
  const hash = createHash('sha256').update(process.versions.modules);
  hash.update(readFileSync(join(root, 'package-lock.json')));
  for (const { folder } of packages())
    hash.update(folder).update(readFileSync(join(root, folder, 'package.json')));
  return hash.digest('hex');
}

export async function ensureInstalled() {
  requireNode();
  const wanted = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  say('installing dependencies (npm ci)');
  // On Windows npm is a script that only a shell can start.
  orExit(await run('npm', ['ci', '--no-fund', '--no-audit'], { shell: process.platform === 'win32' }));
  mkdirSync(join(root, 'node_modules'), { recursive: true });
  writeFileSync(stamp, wanted);
}

/** Removes compiled files whose source is gone: the compiler never does, and a deleted test would run on. */
function sweep(folder) {
  const dist = join(root, folder, 'dist');
  if (!existsSync(dist)) return;
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.js')) continue;
    const compiled = join(entry.parentPath, entry.name);
    const source = compiled.replace(dist, join(root, folder)).replace(/\.js$/, '.ts');
    if (existsSync(source)) continue;
    for (const suffix of ['.js', '.js.map', '.d.ts', '.d.ts.map']) {
      rmSync(compiled.replace(/\.js$/, suffix), { force: true });
    }
  }
}

/** The compiler leaves behind what it does not compile: scripts that are loaded by their name. */
function copyScripts(folder) {
  const source = join(root, folder, 'src');
  if (!existsSync(source)) return;
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.lua')) continue;
    const from = join(entry.parentPath, entry.name);
    const to = from.replace(source, join(root, folder, 'dist/src'));
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(from, to);
  }
}

export async function ensureBuilt() {
  const folders = packages()
    .map(({ folder }) => folder)
    .filter((folder) => existsSync(join(root, folder, 'tsconfig.json')));
  folders.forEach(sweep);
  say('compiling what changed (tsc -b)');
  orExit(await run(bin('tsc'), ['-b', ...folders]));
  folders.forEach(copyScripts);
}
