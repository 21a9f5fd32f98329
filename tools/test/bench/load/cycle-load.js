import { setTimeout as sleep } from 'node:timers/promises';
import { shareOf } from './shares.js';
import { shortLife } from './short-life.js';

/** Pause of a slot whose connection failed, so that a refusing server is not hammered. */
const PAUSE_AFTER_FAILURE_MS = 50;

/**
 * A fixed number of slots, each living one short life after the other.
 * @param {import('./model.js').LoadContext} context
 * @returns {import('./model.js').Load}
 */
export function cycleLoad({ settings, server, share }) {
  const slots = shareOf(settings.connections, share);
  const state = { running: false };
  let cycles = 0;
  let failed = 0;
  let firstProblem = '';
  /** @type {Promise<void>[]} */
  let loops = [];

  const once = (/** @type {number} */ slot) => shortLife(server, `bench-${slot % settings.channels}`);
  const loop = async (/** @type {number} */ slot) => {
    while (state.running) {
      try {
        await once(slot);
        cycles += 1;
      } catch (error) {
        failed += 1;
        firstProblem ||= /** @type {Error} */ (error).message;
        await sleep(PAUSE_AFTER_FAILURE_MS);
      }
    }
  };

  return {
    prepare: () => once(0),
    start() {
      state.running = true;
      loops = Array.from({ length: slots }, (_, slot) => loop(slot));
    },
    stop() {
      state.running = false;
    },
    async close() {
      state.running = false;
      await Promise.all(loops);
    },
    counts: () => ({ cycles, failed }),
    problem: () => firstProblem,
  };
}
