import type { Core } from '../../run/core.js';
import { QueueWorld } from './world.js';

export const queueCore: Core = {
  name: 'queue',
  promises: ['G7', 'G15'],
  invariants: [
    'one-holder',
    'no-job-lost',
    'attempts-bounded',
    'settled-as-handled',
    'worker-bounds',
    'drain-releases',
  ],
  actions: [
    { name: 'enqueue', weight: 12 },
    { name: 'enqueue-batch', weight: 2 },
    { name: 'drain', weight: 1 },
  ],
  settleMs: 30_000,
  excludes: (fault) => {
    if (fault === 'store-stale-read') return 'the port has no read that may be stale';
    if (fault === 'store-torn-batch') return 'a chunk is one atomic step in every store that has this port';
    if (fault === 'store-loss' || fault === 'store-failover')
      return 'G7 excludes jobs that the queue broker itself loses';
    if (fault === 'old-version') return 'the worker exchanges no messages with other processes';
    return null;
  },
  world: (env, plan) => new QueueWorld(env, plan),
};
