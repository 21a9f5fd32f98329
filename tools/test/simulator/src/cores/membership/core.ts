import type { Core } from '../../run/core.js';
import { MembershipWorld } from './world.js';

export const membershipCore: Core = {
  name: 'membership',
  promises: ['G1', 'G2', 'G5'],
  invariants: [
    'heard-not-dead',
    'peers-converge',
    'one-leader',
    'live-order',
    'live-once',
    'confirmed-delivery',
  ],
  actions: [
    { name: 'publish', weight: 12 },
    { name: 'subscribe', weight: 4 },
    { name: 'unsubscribe', weight: 1 },
    { name: 'leave', weight: 1 },
  ],
  settleMs: 10_000,
  excludes: (fault) => {
    if (fault.startsWith('store-')) return 'membership uses no store';
    if (fault === 'old-version') return 'heartbeats and their codec are those of the last release';
    if (fault === 'bounds') return 'the table of members has one bound, which no installation reaches';
    return null;
  },
  world: (env, plan) => new MembershipWorld(env, plan),
};
