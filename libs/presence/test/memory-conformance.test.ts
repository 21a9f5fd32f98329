import { MemoryPresence } from '../src/index.js';
import { presenceConformance } from './conformance.js';
import { ManualClock } from './manual-clock.js';

const LEASE_MS = 15_000;

presenceConformance(
  'the memory of one process',
  async () => {
    const clock = new ManualClock();
    const presence = new MemoryPresence({
      clock,
      onObserverFault: (error) => {
        throw error;
      },
    });
    return {
      instances: [presence],
      leaseMs: LEASE_MS,
      pass: async (ms) => clock.advance(ms),
      close: () => presence.close(),
    };
  },
  300,
);
