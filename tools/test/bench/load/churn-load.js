import { pace } from './pacer.js';
import { Schedule } from './schedule.js';
import { shortLife } from './short-life.js';

const STAY_SECONDS = 2;
/** Lives under way in one process; one more is skipped and counted, never held. */
const MAX_AT_ONCE = 1000;

/**
 * Connections that come and go at a fixed rate beside the lasting ones, on the same channels.
 * @param {import('./model.js').LoadContext} context
 * @returns {import('./model.js').Load}
 */
export function churnLoad({ settings, server, share }) {
  /** @type {Set<Promise<void>>} */
  const underWay = new Set();
  let cycles = 0;
  let failed = 0;
  let turn = share.index;
  let firstProblem = '';
  /** @type {(() => void) | null} */
  let stopPacing = null;

  const live = async () => {
    turn += share.of;
    try {
      await shortLife(server, `bench-${turn % settings.channels}`, STAY_SECONDS);
      cycles += 1;
    } catch (error) {
      failed += 1;
      firstProblem ||= /** @type {Error} */ (error).message;
    }
  };
  const begin = () => {
    if (underWay.size >= MAX_AT_ONCE) {
      failed += 1;
      firstProblem ||= 'short-lived connections could not keep up with their rate';
      return;
    }
    const life = live();
    underWay.add(life);
    void life.then(() => underWay.delete(life));
  };

  return {
    prepare: async () => {},
    start(startUs) {
      if (settings.churn > 0) stopPacing = pace(new Schedule(startUs, settings.churn / share.of), begin);
    },
    stop: () => stopPacing?.(),
    async close() {
      stopPacing?.();
      await Promise.all(underWay);
    },
    counts: () => ({ cycles, failed }),
    problem: () => firstProblem,
  };
}
