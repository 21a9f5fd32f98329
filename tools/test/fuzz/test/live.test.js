import { expect, it } from 'vitest';
import { runLive } from '../src/live/run-live.js';
import { sessionOf } from '../src/live/session.js';
import { describeFailure } from '../src/report.js';
import { PROOF, seedOfTheDay } from '../src/seed.js';
import { words } from '../src/words.js';

const INPUTS = PROOF ? 10_000 : 2000;
const seed = seedOfTheDay();

/** What the fire must have met: otherwise it missed. */
const MET = [
  ...words(`
    pusher:connection_established pusher:pong pong pusher_internal:subscription_succeeded
    ended pusher_internal:member_added pusher:signin_success pusher_internal:watchlist_events
    pusher:subscription_error pusher:cache_miss
  `),
  'client event',
  'error 4000',
  'error 4009',
  'error 4300',
  'error 4301',
  'error 4302',
  'close 4001',
  'close 4003',
  'close 4009',
  'close 4301',
  'http 101',
  'http 400',
  'api ok',
  'api auth_failed',
  'api invalid_input',
  'api not_found',
  'messages to innocents',
];

it(
  `a server under fire by seed ${seed} serves innocent clients all the while`,
  { timeout: 180_000 },
  async () => {
    const { failures, inputs, outcomes } = await runLive({ seed, inputs: INPUTS });
    expect(failures.map(describeFailure)).toEqual([]);
    expect(inputs).toBeGreaterThanOrEqual(INPUTS);
    const missed = MET.filter((outcome) => !outcomes.has(outcome));
    expect(missed.length).toBeLessThanOrEqual(PROOF ? 0 : MET.length / 2);
  },
);

it('a hostile session follows from its seed and number', () => {
  for (let index = 0; index < 200; index += 1) expect(sessionOf(seed, index)).toEqual(sessionOf(seed, index));
});
