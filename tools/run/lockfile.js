// Writes package-lock.json, or with --check fails when it is not in its final form. Unlike plain npm:
// - it resolves in an empty folder, because beside an installed node_modules npm copies what is there, without hashes;
// - it leaves out download addresses: versions and integrity hashes pin every package, and where it is fetched from is
//   each machine's own setting;
// - it lists every platform's binary: npm leaves out those it could not look up when the file was written, and then
//   refuses the file as incomplete everywhere.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { orExit, packages, root, run, say } from './workspace.js';

const FILE = 'package-lock.json';

const OPERATING_SYSTEMS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const PROCESSORS = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64'];

/** Which platform a binary package is for, as its name tells; null when it is not such a package. */
function platform(name) {
  const words = name.split(/[/-]/).map((word) => (/^arm(eabi)?$/.test(word) ? 'arm' : word));
  const os = OPERATING_SYSTEMS.find((one) => words.includes(one));
  const cpu = PROCESSORS.find((one) => words.includes(one));
  if (os === undefined || cpu === undefined) return null;
  const libc = words.some((word) => word.startsWith('musl'))
    ? 'musl'
    : words.some((word) => word.startsWith('gnu'))
      ? 'glibc'
      : null;
  return { cpu: [cpu], ...(os === 'linux' && libc !== null ? { libc: [libc] } : {}), os: [os] };
}

/** The same lockfile in its final form, as text. */
function finished(text) {
  const lock = JSON.parse(text);
  for (const entry of Object.values(lock.packages)) {
    if (/^https?:/.test(entry.resolved ?? '')) delete entry.resolved;
  }
  for (const [folder, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const hoisted = `node_modules/${name}`;
      const target = platform(name);
      const listed = [`${folder}/${hoisted}`, hoisted].some((path) => lock.packages[path] !== undefined);
      if (target === null || listed) continue;
      lock.packages[hoisted] = { version, ...target, ...(entry.dev ? { dev: true } : {}), optional: true };
    }
  }
  const [own, ...rest] = Object.entries(lock.packages);
  lock.packages = Object.fromEntries([own, ...rest.sort(([a], [b]) => (a < b ? -1 : 1))]);
  return `${JSON.stringify(lock, null, 2)}\n`;
}

/** Packages whose content nothing pins: neither part of the workspace nor a binary no registry could show. */
function unpinned(text) {
  return Object.entries(JSON.parse(text).packages)
    .filter(
      ([path, entry]) =>
        path.startsWith('node_modules/') && !entry.link && !entry.optional && !entry.integrity,
    )
    .map(([path]) => path);
}

async function resolved() {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-lock-'));
  const files = [
    'package.json',
    '.npmrc',
    FILE,
    ...packages().map((one) => join(one.folder, 'package.json')),
  ];
  for (const file of files) {
    mkdirSync(join(folder, file, '..'), { recursive: true });
    copyFileSync(join(root, file), join(folder, file));
  }
  orExit(await run('npm', ['install', '--package-lock-only', '--ignore-scripts'], { cwd: folder }));
  const text = readFileSync(join(folder, FILE), 'utf8');
  rmSync(folder, { recursive: true });
  return text;
}

const check = process.argv.includes('--check');
const before = readFileSync(join(root, FILE), 'utf8');
const after = finished(check ? before : await resolved());
const loose = unpinned(after);
if (loose.length > 0) say(`${FILE} pins no content for ${loose.join(', ')}`);
if (check && before !== after) say(`${FILE} is not in its final form, run npm run lock`);
if (!check) writeFileSync(join(root, FILE), after);
process.exit(loose.length > 0 || (check && before !== after) ? 1 : 0);
