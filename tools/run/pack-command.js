// Writes the npm package `carillon` as a tarball: `node tools/run/pack-command.js [folder]`. The compiled packages of the
// workspace are copied into it with their layout, so that files beside them are found, and imports of each other become
// relative paths; third-party packages stay dependencies, with exact versions.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { execFileSync } from 'node:child_process';
import { packages, root, say } from './workspace.js';

const COMMAND = 'carillon';
const byName = new Map(packages().map((one) => [one.name, one]));

/** The packages of the workspace that the command needs, itself included. */
function closure(name, found = new Set()) {
  const { manifest } = byName.get(name);
  found.add(name);
  for (const other of Object.keys(manifest.dependencies ?? {}))
    if (byName.has(other) && !found.has(other)) closure(other, found);
  return found;
}

/** Where a package is inside the tarball: the command at its top, others below `packages`. */
const placeOf = (name) => (name === COMMAND ? '.' : join('packages', byName.get(name).folder));

/** The file that a specifier of a workspace package leads to, inside the tarball. */
function targetOf(specifier, names) {
  const name = [...names].find((one) => specifier === one || specifier.startsWith(`${one}/`));
  if (name === undefined) return null;
  const entry = byName.get(name).manifest.exports?.[`.${specifier.slice(name.length)}`];
  if (entry === undefined) throw new Error(`${specifier} is not an entry of ${name}`);
  return join(placeOf(name), entry.default);
}

const SPECIFIER = /((?:\bfrom|\bimport)\s*\(?\s*)(['"])(@carillon\/[^'"]+)\2/g;

function rewrite(text, file, names) {
  return text.replace(SPECIFIER, (whole, before, quote, specifier) => {
    const target = targetOf(specifier, names);
    if (target === null) return whole;
    const path = relative(dirname(file), target).replaceAll('\\', '/');
    return `${before}${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`;
  });
}

function copyPackage(name, stage, names) {
  const { folder, manifest } = byName.get(name);
  const place = placeOf(name);
  for (const part of ['dist/src', 'src']) {
    const from = join(root, folder, part);
    if (!existsSync(from)) continue;
    for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = relative(join(root, folder), join(entry.parentPath, entry.name));
      const isCode = part === 'dist/src' && path.endsWith('.js');
      if (!isCode && !path.endsWith('.lua')) continue;
      const target = join(place, path);
      mkdirSync(dirname(join(stage, target)), { recursive: true });
      if (isCode)
        writeFileSync(
          join(stage, target),
          rewrite(readFileSync(join(root, folder, path), 'utf8'), target, names),
        );
      else cpSync(join(root, folder, path), join(stage, target));
    }
  }
  if (name !== COMMAND)
    writeFileSync(
      join(stage, place, 'package.json'),
      `${JSON.stringify({ version: manifest.version, type: 'module' })}\n`,
    );
}

/** Third-party dependencies of all packages; two versions of one are an error. */
function dependenciesOf(names) {
  const found = new Map();
  for (const name of names) {
    for (const [other, version] of Object.entries(byName.get(name).manifest.dependencies ?? {})) {
      if (byName.has(other)) continue;
      if (found.has(other) && found.get(other) !== version) throw new Error(`${other} has two versions`);
      found.set(other, version);
    }
  }
  return Object.fromEntries([...found].sort());
}

const target = resolve(process.argv[2] ?? '.');
const stage = mkdtempSync(join(tmpdir(), 'carillon-pack-'));
try {
  const names = closure(COMMAND);
  for (const name of names) copyPackage(name, stage, names);
  const {
    private: _private,
    scripts: _scripts,
    devDependencies: _dev,
    ...manifest
  } = byName.get(COMMAND).manifest;
  const published = {
    ...manifest,
    files: ['bin', 'dist', 'packages'],
    publishConfig: { access: 'public', provenance: true },
    dependencies: dependenciesOf(names),
  };
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  cpSync(join(root, 'apps/cli/bin'), join(stage, 'bin'), { recursive: true });
  cpSync(join(root, 'docs/command.md'), join(stage, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(stage, 'LICENSE'));
  mkdirSync(target, { recursive: true });
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', target], { cwd: stage });
  const [{ filename, size, entryCount }] = JSON.parse(packed.toString());
  say(`packed ${join(target, filename)}: ${entryCount} files, ${Math.round(size / 1024)} KiB`);
} finally {
  rmSync(stage, { recursive: true, force: true });
}
