import type { Core } from '../../run/core.js';
import { PresenceWorld } from './world.js';

export const presenceCore: Core = {
  name: 'presence',
  promises: ['G5', 'G6'],
  invariants: [
    'alternating',
    'roster-live-or-leased',
    'nobody-removed',
    'snapshot-and-frames',
    'no-ghost',
    'apps-apart',
  ],
  actions: [
    { name: 'join', weight: 10 },
    { name: 'leave', weight: 5 },
    { name: 'lose', weight: 5 },
    { name: 'update', weight: 3 },
    { name: 'watch', weight: 1 },
  ],
  settleMs: 20_000,
  excludes: (fault) => {
    if (fault === 'net-drop' || fault === 'net-duplicate')
      return 'a connection is a TCP stream: its frames are neither lost alone nor doubled';
    if (fault.startsWith('store-'))
      return 'the driver of one process has no store; scripts of the shared store run in Redis only';
    if (fault === 'process-kill' || fault === 'net-partition')
      return 'the driver of one process ends with it; clusters are covered by the fleet';
    if (fault === 'old-version') return 'the driver of one process exchanges no messages';
    return null;
  },
  world: (env, plan) => new PresenceWorld(env, plan),
};
