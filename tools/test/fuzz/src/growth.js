// Quadratic cost hides in small inputs and ends a process with large ones. So inputs are grown in steps to the largest
// frame, and CPU time must grow about as they do.
import { cpuMs, MAX_CPU_MS } from './cost.js';
import { LARGEST_INPUT } from './mutate/mutation.js';

/** @typedef {import('./target.js').Target} Target */

const TRIES = 3;
const STEPS = 3;
/** Below it, the clock is too coarse to compare and the cost nobody's concern. */
const CHEAP_MS = 20;
/** Doubling three times costs 8 times as much where cost is linear, 64 times where it is quadratic. */
const MAX_TIMES = 24;

/** The grown input of that size, or just below. @param {import('./target.js').Growth} growth @param {number} size */
function grown({ before = '', piece, after = '' }, size) {
  const room = size - Buffer.byteLength(before) - Buffer.byteLength(after);
  const times = Math.max(0, Math.floor(room / Buffer.byteLength(piece)));
  return Buffer.from(before + piece.repeat(times) + after);
}

/** What grows faster than its input, one line each. @param {Target} target @returns {string[]} */
export function superlinear(target) {
  return target.growths.flatMap((growth) => {
    const small = grown(growth, LARGEST_INPUT / 2 ** STEPS);
    const large = grown(growth, LARGEST_INPUT);
    target.reach(small);
    const most = cpuMs(() => target.reach(large), TRIES);
    if (most < CHEAP_MS) return [];
    const least = cpuMs(() => target.reach(small), TRIES);
    const times = most / Math.max(least, 1);
    if (most < MAX_CPU_MS && times < MAX_TIMES) return [];
    return [
      `${target.name}, ${growth.name}: ${most.toFixed(1)} ms of CPU, ${times.toFixed(0)} times that of an eighth`,
    ];
  });
}
