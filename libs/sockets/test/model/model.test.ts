import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { ManualClock } from './clock.js';
import { Player } from './player.js';
import { program } from './program.js';

describe('the whole room', () => {
  const clock = new ManualClock();
  beforeEach(() => clock.stop());
  afterEach(() => clock.restore());

  it('sends every client exactly what the model says, in order, and keeps nothing of who has gone', async () => {
    await fc.assert(
      fc.asyncProperty(program, async (steps) => {
        const player = await Player.open(clock);
        try {
          for (const step of steps) await player.do(step);
          await player.end();
        } finally {
          await player.close();
        }
      }),
      { numRuns: 60 },
    );
    // Includes the time of shrinking.
  }, 120_000);
});
