import { BenchError } from '../settings/bench-error.js';
import { LIMITS } from '../settings/limits.js';

/** @typedef {ReturnType<typeof import('./summary.js').summarise>} Summary */
/** @typedef {Pick<Summary, 'target' | 'ratio' | 'headline' | 'rounds' | 'problems'>} Judged what a verdict rests on */

/**
 * Whether the run kept what it was held to, and a line about each limit. Throws when the run cannot say: something was
 * not measured, failed, or was lost.
 * @param {Record<string, number>} limits wanted, by option
 * @param {Judged} summary
 */
export function judge(limits, summary) {
  const wanted = Object.entries(limits);
  if (wanted.length > 0 && (summary.problems.length > 0 || summary.rounds.some(hasLosses))) {
    throw new BenchError('a run with failures, losses or problems proves nothing');
  }
  const verdicts = wanted.map(([option, bound]) => {
    const value = measured(option, summary);
    const exactly = LIMITS[option]?.kind === 'exactly';
    const kept = exactly ? value === bound : value <= bound;
    const line = `${option}: ${Number(value.toFixed(3))}, ${exactly ? 'exactly' : 'at most'} ${bound} wanted`;
    return { line, kept };
  });
  return { lines: verdicts.map(({ line }) => line), kept: verdicts.every(({ kept }) => kept) };
}

/** @param {string} option @param {Judged} summary */
function measured(option, { target, ratio, headline }) {
  const row = LIMITS[option]?.row ?? null;
  const value = row === null ? ratio[headline ?? ''] : target[row];
  if (typeof value !== 'number')
    throw new BenchError(`--${option}: not measured; is --pid or --spawn missing?`);
  return value;
}

/** @param {import('../control/rounds.js').Round} round */
const hasLosses = ({ target, floor }) =>
  [target, floor].some((side) => (side['failed'] ?? 0) > 0 || (side['missing'] ?? 0) !== 0);
