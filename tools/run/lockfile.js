// Rounds off what `npm install --package-lock-only` wrote, so that `npm ci` works on any machine:
// - no download addresses: versions and integrity hashes pin every package, and where it is fetched from is each
//   machine's own setting;
// - every platform's binary is listed: npm leaves out those it could not look up when the file was written, and then
//   refuses the file as incomplete everywhere.
// With --check, fails when the file is not in that state.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, say } from './workspace.js';

const path = join(root, 'package-lock.json');
const before = readFileSync(path, 'utf8');
const lock = JSON.parse(before);

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

for (const entry of Object.values(lock.packages)) {
  if (/^https?:/.test(entry.resolved ?? '')) delete entry.resolved;
}
for (const [folder, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const nested = `${folder}/node_modules/${name}`;
    const hoisted = `node_modules/${name}`;
    const target = platform(name);
    if (target === null || lock.packages[nested] !== undefined || lock.packages[hoisted] !== undefined)
      continue;
    lock.packages[hoisted] = { version, ...target, ...(entry.dev ? { dev: true } : {}), optional: true };
  }
}
const [own, ...rest] = Object.entries(lock.packages);
lock.packages = Object.fromEntries([own, ...rest.sort(([a], [b]) => (a < b ? -1 : 1))]);
const after = `${JSON.stringify(lock, null, 2)}\n`;
if (!process.argv.includes('--check')) writeFileSync(path, after);
else if (before !== after) {
  say('package-lock.json is not in its final form, run npm run lock');
  process.exit(1);
}
