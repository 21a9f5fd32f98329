// Where everything of this workspace's engines lives: one folder under the system's temp folder, named after the
// workspace's path so that two clones never share engines.
import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const workspace = resolve(dirname(fileURLToPath(import.meta.url)), '../../../../..');

/** The folder's path. CARILLON_ENGINES_HOME replaces it, which tests of the bookkeeping use. */
export function homePath() {
  const asked = process.env.CARILLON_ENGINES_HOME;
  if (asked !== undefined && asked !== '') return resolve(asked);
  const key = createHash('sha256').update(workspace).digest('hex').slice(0, 10);
  return join(tmpdir(), `carillon-engines-${userInfo().username}-${key}`);
}

/**
 * The folder, made when absent. Refuses one that another user owns or may write to: the state in it says which
 * commands to run.
 */
export function home() {
  const path = homePath();
  mkdirSync(path, { recursive: true, mode: 0o755 });
  const found = lstatSync(path);
  const uid = process.getuid?.();
  if (!found.isDirectory() || (uid !== undefined && (found.uid !== uid || (found.mode & 0o022) !== 0))) {
    throw new Error(`${path} is not a folder that only this user can write to`);
  }
  // Engines that run as another user must be able to reach their own folder inside it, whatever the umask.
  chmodSync(path, 0o755);
  return path;
}
