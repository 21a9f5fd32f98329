import { runChunk } from './chunk.js';

/** Inputs that follow from one seed. */
const CHUNK = 10_000;

/**
 * Runs that many inputs in chunks, each with the next seed. A broken chunk does not end the others.
 * @param {import('./target.js').Target} target @param {{ seed: number, inputs: number }} wanted
 * @returns {import('./chunk.js').ChunkReport}
 */
export function runPure(target, { seed, inputs }) {
  const whole = {
    target: target.name,
    inputs: 0,
    outcomes: new Map(),
    failures: /** @type {import('./chunk.js').Failure[]} */ ([]),
  };
  for (let done = 0; done < inputs; done += CHUNK) {
    const report = runChunk(target, { seed: seed + done / CHUNK, inputs: Math.min(CHUNK, inputs - done) });
    whole.inputs += report.inputs;
    whole.failures.push(...report.failures);
    for (const [outcome, times] of report.outcomes)
      whole.outcomes.set(outcome, (whole.outcomes.get(outcome) ?? 0) + times);
  }
  return whole;
}
