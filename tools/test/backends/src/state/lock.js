// A lock between processes: a file that names its holder. A holder that no longer lives loses it.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { isAlive, ownIdentity } from '../processes/identity.js';
import { pause } from '../pause.js';

/** @param {string} path @returns {import('../types.js').Identity | null} */
function holder(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

/** @param {string} path */
function take(path) {
  const mine = `${path}.${randomUUID()}`;
  writeFileSync(mine, JSON.stringify(ownIdentity()));
  try {
    // A link appears with its content, so nobody ever reads a lock that does not yet name its holder.
    linkSync(mine, path);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}

/** Moves a dead holder's lock away; puts it back when a living one took it in between. @param {string} path */
function sweep(path) {
  const found = holder(path);
  if (found === null || isAlive(found)) return;
  const away = `${path}.${randomUUID()}`;
  try {
    renameSync(path, away);
    const moved = holder(away);
    if (moved !== null && isAlive(moved)) linkSync(away, path);
  } catch {
    // Somebody else swept it first.
  } finally {
    rmSync(away, { force: true });
  }
}

/**
 * Runs `work` while holding the lock; waits for a living holder at most `limitMs`.
 * @template T
 * @param {string} path
 * @param {() => T | Promise<T>} work
 * @param {{ limitMs?: number, onWait?: () => void }} [options] `onWait` is called once when somebody else holds it
 * @returns {Promise<T>}
 */
export async function withLock(path, work, { limitMs = 600_000, onWait } = {}) {
  const until = Date.now() + limitMs;
  for (let tries = 0; !take(path); tries++) {
    sweep(path);
    if (Date.now() > until) throw new Error(`${path} is held by process ${holder(path)?.pid ?? 'unknown'}`);
    if (tries === 10) onWait?.();
    await pause(25);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}
