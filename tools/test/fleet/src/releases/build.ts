import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { cached } from '@carillon/test-backends';
import { LAST_RELEASE } from './last-release.js';
import { areInstalledHere, foldersOf, linkPackages, unlinkPackages } from './packages.js';
import { TREE } from './tree.js';

const APPS = ['apps/server', 'apps/gateway', 'apps/api', 'apps/history-writer'];

const git = (...args: readonly string[]): Buffer =>
  execFileSync('git', args, { cwd: TREE, stdio: 'pipe', maxBuffer: 2 ** 28 });

/** Why the last release cannot be built from this clone; null: it can. */
export function whyUnavailable(): string | null {
  const { commit } = LAST_RELEASE;
  try {
    git('cat-file', '-e', `${commit}^{commit}`);
    return null;
  } catch {
    return `commit ${commit} of the last release is not in this clone: fetch the whole history (git fetch --unshallow)`;
  }
}

/** A build of the last release in a folder of its own. */
export interface Release {
  readonly tree: string;
  remove(): void;
}

/** Builds the last release, or copies the build that this machine's cache has. */
export async function lastRelease(): Promise<Release> {
  const isShared = areInstalledHere(git('show', `${LAST_RELEASE.commit}:package-lock.json`).toString());
  const name = `release-${LAST_RELEASE.commit}${isShared ? '' : '-installed'}`;
  const built = await cached(name, (work: string) => Promise.resolve(buildIn(join(work, 'tree'), isShared)));
  const tree = mkdtempSync(join(tmpdir(), 'carillon-release-'));
  cpSync(built, tree, { recursive: true, filter: (path) => basename(path) !== 'node_modules' });
  linkPackages(tree, isShared ? TREE : built);
  return { tree, remove: () => rmSync(tree, { recursive: true, force: true }) };
}

/** `isShared`: the packages it needs are those of this tree; else they are installed and stay beside the build. */
function buildIn(tree: string, isShared: boolean): string {
  mkdirSync(tree);
  execFileSync('tar', ['x', '-C', tree], { input: git('archive', LAST_RELEASE.commit) });
  if (isShared) linkPackages(tree, TREE);
  else execFileSync('npm', ['ci', '--no-fund', '--no-audit'], { cwd: tree, stdio: 'pipe' });
  const folders = foldersOf(tree);
  for (const folder of folders) rmSync(join(tree, folder, 'test'), { recursive: true, force: true });
  const compiler = join(tree, 'node_modules/.bin/tsc');
  // The release was checked when it was made.
  execFileSync(compiler, ['-b', '--noCheck', ...APPS], { cwd: tree, stdio: 'pipe' });
  for (const folder of folders) copyScripts(join(tree, folder));
  if (isShared) unlinkPackages(tree);
  return tree;
}

/** The compiler leaves out scripts that are loaded by name. */
function copyScripts(folder: string): void {
  const [source, compiled] = [join(folder, 'src'), join(folder, 'dist/src')];
  if (!existsSync(source) || !existsSync(compiled)) return;
  for (const entry of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!entry.endsWith('.lua')) continue;
    const to = join(compiled, entry);
    mkdirSync(dirname(to), { recursive: true });
    cpSync(join(source, entry), to);
  }
}
