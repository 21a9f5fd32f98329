// Ends, pauses and resumes exactly the processes of a node: the one started and its descendants, by identity.
import { eventually } from '../pause.js';
import { family, isAlive, isListed, standsStill } from './identity.js';
import { run } from './launch.js';

/** @import { RunningNode } from '../types.js' */

const GRACE_MS = 5000;
/** A parent that never reaps its children must not block for ever. */
const REAPED_WITHIN_MS = 2000;

/** @param {number} pid @param {NodeJS.Signals} signal */
function send(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
  }
}

/** @param {import('../types.js').Identity[]} processes */
const allGone = (processes) =>
  eventually(
    async () => {
      if (processes.some(isAlive)) throw new Error('a process does not end');
    },
    { limitMs: GRACE_MS, everyMs: 10 },
  );

/**
 * Waits until dead processes are reaped, within a limit: until then their numbers exist, and a PostgreSQL that restarts
 * takes its own lock file for that of another server.
 * @param {import('../types.js').Identity[]} processes
 */
const reaped = (processes) =>
  eventually(
    async () => {
      if (processes.some(isListed)) throw new Error('a dead process is not reaped');
    },
    { limitMs: REAPED_WITHIN_MS, everyMs: 10 },
  ).catch(() => undefined);

/** Sends SIGKILL to the whole family at once, without waiting. @param {RunningNode} node */
export function killNow(node) {
  const members = family(node.process);
  // Stopped first, so that none of them can start another in between.
  for (const { pid } of members) send(pid, 'SIGSTOP');
  for (const { pid } of family(node.process)) send(pid, 'SIGKILL');
  return members;
}

/** As a crash would: nothing is flushed or said. @param {RunningNode} node */
export async function kill(node) {
  if (node.container) await run('docker', node.container.kill);
  const members = killNow(node);
  await allGone(members);
  await reaped(members);
}

/** Ends a node whose data is thrown away; returns when no process of it is left. @param {RunningNode} node */
export async function end(node) {
  const members = family(node.process);
  if (node.endSignal !== undefined && members.length > 0) {
    for (const { pid } of members) send(pid, 'SIGCONT');
    send(node.process.pid, node.endSignal);
    await allGone(members).catch(() => undefined);
  }
  await kill(node);
  if (node.container) await run('docker', node.container.remove);
}

/** Returns when all of it stands still. @param {RunningNode} node */
export async function pauseNode(node) {
  if (node.container) {
    await run('docker', node.container.pause);
    return;
  }
  for (const { pid } of family(node.process)) send(pid, 'SIGSTOP');
  await eventually(
    async () => {
      const moving = family(node.process).find((member) => isAlive(member) && !standsStill(member.pid));
      if (moving !== undefined) throw new Error(`process ${moving.pid} does not stand still`);
    },
    { limitMs: GRACE_MS, everyMs: 2 },
  );
}

/** @param {RunningNode} node */
export async function resumeNode(node) {
  if (node.container) await run('docker', node.container.resume);
  else for (const { pid } of family(node.process)) send(pid, 'SIGCONT');
}
