import type { Core } from '../../run/core.js';
import type { Fault } from '../../plan/fault-classes.js';
import { LanesWorld } from './world.js';

/** Reasons that hold for all cores over the durable store. */
export function excludedByDurableStore(fault: Fault): string | null {
  if (fault === 'store-stale-read') return 'commits and heads are read from the primary';
  if (fault === 'store-torn-batch') return 'the store of history commits in transactions';
  if (fault === 'store-loss' || fault === 'store-failover')
    return 'what the database loses is excluded by G1; the memory store has no snapshots';
  if (fault === 'old-version') return 'commit requests have the format of the last release';
  return null;
}

export const lanesCore: Core = {
  name: 'lanes',
  promises: ['G1', 'G2', 'G3'],
  invariants: [
    'contiguous-serials',
    'one-effect',
    'answered-stored',
    'committed-before-fan-out',
    'watermark-handed',
    'answered',
    'lanes-served',
    'handed-over',
  ],
  actions: [
    { name: 'publish', weight: 20 },
    { name: 'reset', weight: 1 },
    { name: 'purge', weight: 1 },
    { name: 'drain', weight: 1 },
  ],
  settleMs: 20_000,
  excludes: excludedByDurableStore,
  world: (env, plan) => new LanesWorld(env, plan),
};
