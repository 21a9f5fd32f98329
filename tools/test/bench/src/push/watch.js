// How far a publish is, and what it costs whoever works on it.
import { readTree } from '../../measure/proc-tree.js';
import { BenchError } from '../../settings/bench-error.js';
import { APP_ID } from './fleet.js';

const LOOK_MS = 100;
const MIB = 1024 * 1024;

const later = (/** @type {number} */ ms) => new Promise((done) => void setTimeout(done, ms));

/**
 * Looks until it is done; says how long that took, and what the process used meanwhile.
 * @param {number} pid @param {() => Promise<boolean>} isDone @param {number} limitMs
 */
export async function costOf(pid, isDone, limitMs) {
  const fromMs = performance.now();
  const before = readTree(pid)?.cpuUs ?? 0;
  /** @type {number[]} */
  const rssMib = [];
  for (;;) {
    const tree = readTree(pid);
    if (tree === null) throw new BenchError('a worker has ended');
    rssMib.push(tree.rssBytes / MIB);
    const done = await isDone();
    const ms = performance.now() - fromMs;
    if (done) return { ms, cpuUs: (readTree(pid)?.cpuUs ?? before) - before, rssMib };
    if (ms > limitMs) throw new BenchError(`not done after ${Math.round(ms / 1000)} s`);
    await later(LOOK_MS);
  }
}

/** Whether every delivery of a publish was sent and taken in. @param {import('@carillon/database').Database} sql @param {string} publishId */
export async function isOver(sql, publishId) {
  const { rows } = await sql.query('select state from push_publishes where app_id = $1 and publish_id = $2', [
    APP_ID,
    publishId,
  ]);
  const state = rows[0]?.['state'];
  if (state !== 'succeeded' && state !== 'dispatching' && state !== 'planning')
    throw new BenchError(`${publishId} is ${String(state)}`);
  return state === 'succeeded';
}

/** Whether all deliveries of a publish are known. @param {import('@carillon/database').Database} sql @param {string} publishId */
export async function isPlanned(sql, publishId) {
  const { rows } = await sql.query(
    'select planning_complete from push_publishes where app_id = $1 and publish_id = $2',
    [APP_ID, publishId],
  );
  return rows[0]?.['planning_complete'] === true;
}

/** The sum of a counter of a process. @param {string} metrics @param {string} name */
export async function countAt(metrics, name) {
  const text = await (await fetch(metrics)).text();
  const found = text.matchAll(new RegExp(`^service_${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'));
  return [...found].reduce((sum, [, value]) => sum + Number(value), 0);
}
