// Workspace packages and commands, shared by the scripts of this folder.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** Folders of packages; below `libs` and `tools`, a folder without a manifest groups the packages of a feature. */
const TOP_FOLDERS = ['apps', 'libs', 'tools'];

/** Returns every workspace package as `{ folder, name, manifest, tags }`, sorted by folder. */
export function packages() {
  return TOP_FOLDERS.flatMap((folder) => packagesBelow(folder, 2));
}

function packagesBelow(parent, depth) {
  const entries = readdirSync(join(root, parent), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(parent, name));
  return folders.sort().flatMap((folder) => {
    if (existsSync(join(root, folder, 'package.json'))) return [packageAt(folder)];
    return depth > 1 ? packagesBelow(folder, depth - 1) : [];
  });
}

function packageAt(folder) {
  const manifest = readJson(join(folder, 'package.json'));
  const { tags = [] } = existsSync(join(root, folder, 'project.json'))
    ? readJson(join(folder, 'project.json'))
    : {};
  return { folder, name: manifest.name, manifest, tags };
}

const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

/** The path of a tool installed in the workspace, without npx's start-up time. */
export const bin = (name) => join(root, 'node_modules', '.bin', name);

/** Runs a command with the terminal attached; resolves with its exit code (a signal counts as 1). */
export function run(command, args, options = {}) {
  return new Promise((done, failed) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options });
    child.once('error', failed);
    child.once('exit', (code) => done(code ?? 1));
  });
}

/** Runs a command at low priority beside other work; resolves with its exit code and its output. */
export function runBeside(command, args) {
  return new Promise((done, failed) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.once('error', failed);
    child.once('spawn', () => setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL));
    child.once('close', (code) => done({ code: code ?? 1, output }));
  });
}

/** Prints progress, so that no slow step is silent. */
export const say = (text) => process.stderr.write(`carillon: ${text}\n`);

/** Ends the script with the given code when it is not 0. */
export function orExit(code) {
  if (code !== 0) process.exit(code);
}
