import type { Core } from '../../run/core.js';
import { excludedByDurableStore } from '../lanes/core.js';
import { GatewayWorld } from './world.js';

export const gatewayCore: Core = {
  name: 'gateway',
  promises: ['G1', 'G2'],
  invariants: ['delivered-committed', 'delivered-contiguous', 'no-old-stream', 'gap-closed'],
  actions: [
    { name: 'publish', weight: 20 },
    { name: 'reset', weight: 1 },
    { name: 'purge', weight: 1 },
    { name: 'resubscribe', weight: 2 },
  ],
  settleMs: 10_000,
  excludes: excludedByDurableStore,
  world: (env, plan) => new GatewayWorld(env, plan),
};
