// Which process is meant. A number alone may come to mean another process; with its start time it cannot.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** @import { Identity } from '../types.js' */
/** @typedef {{ pid: number, parent: number, ended: boolean, started: string, residentKb: number, processorMs: number }} Entry */

const PAGE_KB = 4;
const TICK_MS = 10;
const hasProc = existsSync('/proc/self/stat');

/**
 * A dead process stays in the list until somebody reaps it. While one of its threads is still ending, though, its ports
 * are still taken: only with the last one is it gone.
 * @param {number} pid @param {string | undefined} state
 */
const hasEnded = (pid, state) => state === 'Z' && readdirSync(`/proc/${pid}/task`).length <= 1;

/** @param {number} pid @returns {Entry | null} */
function fromProc(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name is in parentheses and may itself contain some; the fields follow the last one.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return {
      pid,
      ended: hasEnded(pid, fields[0]),
      parent: Number(fields[1]),
      started: fields[19] ?? '',
      residentKb: Number(fields[21]) * PAGE_KB,
      // Its own and that of its ended children.
      processorMs: fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS,
    };
  } catch {
    return null;
  }
}

/** @param {string[]} selection @returns {Entry[]} */
function fromPs(selection) {
  try {
    const text = execFileSync('ps', [...selection, '-o', 'pid=,ppid=,state=,rss=,lstart='], {
      encoding: 'utf8',
    });
    return text
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .map(([pid, parent, state, rss, ...started]) => ({
        pid: Number(pid),
        parent: Number(parent),
        ended: state?.startsWith('Z') ?? true,
        residentKb: Number(rss),
        processorMs: 0,
        started: started.join(' '),
      }));
  } catch {
    return [];
  }
}

/** @param {number} pid @returns {Entry | null} */
const entry = (pid) => (hasProc ? fromProc(pid) : (fromPs(['-p', String(pid)])[0] ?? null));

/** @returns {Entry[]} */
function everyEntry() {
  if (!hasProc) return fromPs(['-A']);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => fromProc(Number(name)))
    .filter((found) => found !== null);
}

/**
 * The memory a process takes; what it shares with others counts in parts, so that a sum over processes is true.
 * Where the system does not say, its resident size.
 * @param {Entry} one
 */
export function memoryKb({ pid, residentKb }) {
  try {
    return Number(
      /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? residentKb,
    );
  } catch {
    return residentKb;
  }
}

/** Who the process with this number is now; null when there is none. @param {number} pid @returns {Identity | null} */
export function identify(pid) {
  const found = entry(pid);
  return found === null ? null : { pid, started: found.started };
}

/** @returns {Identity} */
export const ownIdentity = () => identify(process.pid) ?? { pid: process.pid, started: '' };

/** True while that very process runs; a dead one that nobody has reaped yet does not count. @param {Identity} one */
export function isAlive({ pid, started }) {
  const found = entry(pid);
  return found !== null && found.started === started && !found.ended;
}

/** True while the system lists that very process, dead or alive. @param {Identity} one */
export const isListed = ({ pid, started }) => entry(pid)?.started === started;

/**
 * True when no thread of the process runs any more. A stop reaches one thread first, which tells the others: until each
 * has been told, a busy machine lets them go on serving.
 * @param {number} pid
 */
export function standsStill(pid) {
  if (!hasProc)
    return execFileSync('ps', ['-p', String(pid), '-o', 'state='], { encoding: 'utf8' }).startsWith('T');
  return readdirSync(`/proc/${pid}/task`).every((thread) => {
    const text = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).startsWith('T');
  });
}

/** The process and everything descended from it, empty when it is gone. @param {Identity} one @returns {Entry[]} */
export function family(one) {
  if (!isAlive(one)) return [];
  const all = everyEntry().filter(({ ended }) => !ended);
  const members = all.filter(({ pid }) => pid === one.pid);
  for (const member of members) members.push(...all.filter(({ parent }) => parent === member.pid));
  return members;
}
