// The state: which engines run for this workspace, so that every process finds, uses and ends the same ones.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { home, homePath } from './folder.js';
import { withLock } from './lock.js';

/** @import { Identity, Missing, RunningEngine } from '../types.js' */

/**
 * `engines` by key: an engine's name when it is shared, `name@pid.n` when one process has it for itself.
 * `missing` are those the last start could not get, so that nobody tries again within the same run.
 * @typedef {object} State
 * @property {Record<string, RunningEngine>} engines
 * @property {Missing[]} missing
 * @property {Identity | null} warden
 */

/** @returns {State} what was last written; empty when nothing was */
export function readState() {
  try {
    return JSON.parse(readFileSync(join(homePath(), 'state.json'), 'utf8'));
  } catch {
    return { engines: {}, missing: [], warden: null };
  }
}

/**
 * Changes the state while no other process does.
 * @template T
 * @param {(state: State) => T} change
 * @returns {Promise<T>}
 */
export function changeState(change) {
  const folder = home();
  return withLock(join(folder, 'state.lock'), () => {
    const state = readState();
    const result = change(state);
    const next = join(folder, 'state.json.next');
    writeFileSync(next, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
    renameSync(next, join(folder, 'state.json'));
    return result;
  });
}
