// What every script here needs to know about the house: where the rooms are and how to run a command in it.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** The folders that hold packages: those of `libs` are the floors of the house. */
const shelves = () => [
  ...readdirSync(join(root, 'libs')).map((floor) => join('libs', floor)),
  'apps',
  'tools',
];

/** Every workspace package, as `{ folder, name, manifest }`, in a stable order. */
export function packages() {
  return shelves().flatMap((shelf) =>
    readdirSync(join(root, shelf))
      .sort()
      .map((name) => join(shelf, name))
      .filter((folder) => existsSync(join(root, folder, 'package.json')))
      .map((folder) => {
        const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
        return { folder, name: manifest.name, manifest };
      }),
  );
}

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

/** Says what is being done, so that a slow step is never a silent one. */
export const say = (text) => process.stderr.write(`carillon: ${text}\n`);

/** Ends the script with the given code when it is not 0. */
export function orExit(code) {
  if (code !== 0) process.exit(code);
}
