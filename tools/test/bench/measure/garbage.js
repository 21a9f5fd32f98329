// What a server leaves lying about is decided by how much it allocates, not by how many connections it holds, and V8 may
// keep it for minutes. A memory reading that is to be divided by connections needs it collected first.
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const PRELOAD = new URL('collect-on-signal.js', import.meta.url).href;
/** Compiled code that only the start needed is let go after it has survived several collections. */
const TIMES = 8;
/** For the collection itself, and for its pages to be given back in the background. */
const PAUSE_MS = 200;

/** The environment of a Node server that can be asked to collect. @returns {NodeJS.ProcessEnv} */
export function collectableEnvironment() {
  const { NODE_OPTIONS: options = '' } = process.env;
  return { NODE_OPTIONS: `${options} --import=${PRELOAD}`.trim() };
}

/** Whether a /proc/PID/status text says that SIGUSR2 has a handler; anything else would be killed by it. @param {string} text */
export function handlesSignal(text) {
  const caught = /^SigCgt:\s+([0-9a-f]+)$/m.exec(text)?.[1] ?? '0';
  return ((BigInt(`0x${caught}`) >> BigInt(constants.signals.SIGUSR2 - 1)) & 1n) === 1n;
}

/** @param {number} pid */
function ask(pid) {
  try {
    if (handlesSignal(readFileSync(`/proc/${pid}/status`, 'utf8'))) process.kill(pid, 'SIGUSR2');
  } catch {
    // It has ended; whoever reads its memory next finds out.
  }
}

/** Makes those of the processes collect that were started to be able to. @param {number[]} pids */
export async function collectGarbage(pids) {
  for (let time = 0; time < TIMES; time += 1) {
    for (const pid of pids) ask(pid);
    await sleep(PAUSE_MS);
  }
}
