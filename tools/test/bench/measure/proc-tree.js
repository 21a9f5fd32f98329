// CPU time and memory of a process and everything it started, as Linux counts them.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/**
 * @typedef {object} TreeReading
 * @property {number} cpuUs user and system time of all processes of the tree, those already ended and collected included
 * @property {number} rssBytes resident memory added up; pages shared between processes count in each
 * @property {number[]} pids
 */

/** @typedef {{ parent: number, ticks: number, rssPages: number }} Stat */

/** Places in /proc/PID/stat, counted from the state that follows the command's closing bracket. */
const PARENT = 1;
const TIMES = [11, 12, 13, 14];
const RSS = 21;

/** @type {{ ticksPerSecond: number, pageBytes: number } | null} */
let unitsOfThisMachine = null;

function units() {
  unitsOfThisMachine ??= { ticksPerSecond: getconf('CLK_TCK', 100), pageBytes: getconf('PAGESIZE', 4096) };
  return unitsOfThisMachine;
}

/** @param {string} name @param {number} otherwise */
function getconf(name, otherwise) {
  try {
    return Number(execFileSync('getconf', [name], { encoding: 'utf8' })) || otherwise;
  } catch {
    return otherwise;
  }
}

/** The parts of a /proc/PID/stat line that matter here. @param {string} text @returns {Stat} */
export function parseStat(text) {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const number = (/** @type {number} */ place) => Number(fields[place] ?? 0);
  return {
    parent: number(PARENT),
    ticks: TIMES.reduce((sum, place) => sum + number(place), 0),
    rssPages: number(RSS),
  };
}

/** @param {number} pid @returns {Stat | null} null when it has ended */
function readStat(pid) {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return null;
  }
}

/** The kernel's exact sum; the number in `stat` may lag by some hundred KiB. @param {number} pid */
function exactRssBytes(pid) {
  try {
    const kib = /^Rss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
    return kib === undefined ? null : Number(kib) * 1024;
  } catch {
    return null;
  }
}

/** @param {number} root @param {Map<number, Stat>} all */
function descendants(root, all) {
  const tree = [root];
  for (const parent of tree) {
    for (const [pid, stat] of all) if (stat.parent === parent) tree.push(pid);
  }
  return tree;
}

/** Reads the tree now; null when the process has ended or the system has no /proc. @param {number} pid @returns {TreeReading | null} */
export function readTree(pid) {
  if (readStat(pid) === null) return null;
  const { ticksPerSecond, pageBytes } = units();
  /** @type {Map<number, Stat>} */
  const all = new Map();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? readStat(Number(name)) : null;
    if (stat !== null) all.set(Number(name), stat);
  }
  const pids = descendants(pid, all).filter((one) => all.has(one));
  const stats = pids.map((one) => ({ pid: one, ...(all.get(one) ?? { ticks: 0, rssPages: 0 }) }));
  return {
    cpuUs: stats.reduce((sum, { ticks }) => sum + (ticks * 1_000_000) / ticksPerSecond, 0),
    rssBytes: stats.reduce((sum, stat) => sum + (exactRssBytes(stat.pid) ?? stat.rssPages * pageBytes), 0),
    pids,
  };
}
