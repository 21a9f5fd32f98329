import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { TREE } from './tree.js';

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
}

interface Lockfile {
  readonly packages: Readonly<Record<string, Locked>>;
}

const isPackage = ([path, { link }]: [string, Locked]): boolean =>
  path.includes('node_modules/') && link !== true;

/** Returns whether all packages of this lockfile are installed in this tree, in the same versions and places. */
export function areInstalledHere(lockfile: string): boolean {
  const { packages } = JSON.parse(readFileSync(join(TREE, 'package-lock.json'), 'utf8')) as Lockfile;
  return Object.entries((JSON.parse(lockfile) as Lockfile).packages)
    .filter(isPackage)
    .every(
      ([path, { version, integrity }]) =>
        packages[path]?.version === version && packages[path]?.integrity === integrity,
    );
}

/** Folders of packages, relative to the root of a release. */
export function foldersOf(release: string): string[] {
  const inside = (folder: string): string[] =>
    readdirSync(join(release, folder)).map((name) => join(folder, name));
  return [...inside('libs').flatMap(inside), ...inside('apps'), ...inside('tools')].filter((folder) =>
    existsSync(join(release, folder, 'package.json')),
  );
}

/** Links the packages installed in another tree, and the release's own packages. */
export function linkPackages(release: string, installed: string): void {
  const modules = join(release, 'node_modules');
  mkdirSync(join(modules, '@carillon'), { recursive: true });
  for (const name of readdirSync(join(installed, 'node_modules')))
    if (name !== '@carillon' && name !== '.cache')
      symlinkSync(join(installed, 'node_modules', name), join(modules, name));
  for (const folder of foldersOf(release)) {
    const manifest = readFileSync(join(release, folder, 'package.json'), 'utf8');
    const { name } = JSON.parse(manifest) as { name: string };
    symlinkSync(join(release, folder), join(modules, name));
    const nested = join(installed, folder, 'node_modules');
    if (existsSync(nested)) symlinkSync(nested, join(release, folder, 'node_modules'));
  }
}

/** Removes links made by `linkPackages`. */
export function unlinkPackages(release: string): void {
  for (const folder of ['', ...foldersOf(release)])
    rmSync(join(release, folder, 'node_modules'), { recursive: true, force: true });
}
