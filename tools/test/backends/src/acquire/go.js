// Builds programs in Go, with what they import as their go.sum pins it.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../processes/launch.js';
import { say } from '../say.js';
import { cached } from './cache.js';

/** @import { GoSource } from '../types.js' */

const BUILD_LIMIT_MS = 600_000;
const HASH_LENGTH = 12;
/** Whatever the caller set: one program comes of the source, and no other Go is fetched to build it. */
const SETTINGS = { CGO_ENABLED: '0', GOFLAGS: '-mod=readonly', GOTOOLCHAIN: 'local', GOWORK: 'off' };

/** @param {string} go @param {string[]} args @param {string} folder */
const runGo = (go, args, folder) => run(go, args, { cwd: folder, env: SETTINGS, limitMs: BUILD_LIMIT_MS });

/** The first version in the text: as written, and its parts. @param {string} text @param {RegExp} form */
function versionIn(text, form) {
  const [written = 'unknown', major = 0, minor = 0] = form.exec(text) ?? [];
  return { written, major: Number(major), minor: Number(minor) };
}

/** The version of this Go; rejects when the program wants a newer one. @param {string} go @param {string} folder */
async function requireGo(go, folder) {
  const has = versionIn(await runGo(go, ['version'], folder), /\bgo(\d+)\.(\d+)\S*/);
  const wants = versionIn(readFileSync(join(folder, 'go.mod'), 'utf8'), /^go (\d+)\.(\d+)/m);
  if (has.major < wants.major || (has.major === wants.major && has.minor < wants.minor)) {
    throw new Error(`${wants.written} or newer is needed, ${go} is ${has.written}`);
  }
  return has.written;
}

/** Differs whenever a file does. @param {string} folder */
function hashOf(folder) {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder).sort()) {
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(folder, name)))
      .update('\0');
  }
  return hash.digest('hex').slice(0, HASH_LENGTH);
}

/** The path of the program; it is built when it is not there yet. @param {GoSource} source @param {string} go */
export async function builtWithGo({ name, folder }, go) {
  const version = await requireGo(go, folder);
  const built = await cached(`${name}-${version}-${hashOf(folder)}`, async (work) => {
    say(`building ${name} (go)`);
    const output = join(work, 'built');
    mkdirSync(output);
    // The state of the repository around the source has no business in the program.
    const args = ['build', '-trimpath', '-buildvcs=false', '-o', join(output, 'driver'), '.'];
    await runGo(go, args, folder);
    return output;
  });
  return join(built, 'driver');
}
