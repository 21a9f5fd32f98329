import type { CommitResult } from '@carillon/contract';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { RecentResults } from '../../src/lane/recent-results.js';
import { ManualClock } from '../manual-clock.js';

const applied = (pubId: string): CommitResult => ({ pub_id: pubId, status: 'applied' });

it('finds what was answered in the last seconds, however often others were', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 6000 }), { minLength: 1, maxLength: 40 }),
      async (pauses) => {
        const clock = new ManualClock();
        const recent = new RecentResults(clock);
        const added: { readonly id: string; readonly atMs: number }[] = [];
        for (const [index, pauseMs] of pauses.entries()) {
          await clock.pass(pauseMs);
          recent.add(applied(`p-${index}`));
          added.push({ id: `p-${index}`, atMs: clock.elapsed() });
          for (const { id, atMs } of added)
            if (clock.elapsed() - atMs < 10_000) expect(recent.find(id)).toEqual(applied(id));
        }
      },
    ),
  ));

it('forgets what is older than two spans, and the oldest of too many', async () => {
  const clock = new ManualClock();
  const recent = new RecentResults(clock);
  recent.add(applied('first'));
  for (let time = 0; time < 2; time += 1) {
    await clock.pass(10_000);
    recent.add(applied(`later-${time}`));
  }
  expect(recent.find('first')).toBeUndefined();
  for (let index = 0; index < 50_001; index += 1) recent.add(applied(`p-${index}`));
  expect(recent.find('p-0')).toBeUndefined();
  expect(recent.find('p-50000')).toEqual(applied('p-50000'));
});

it.each(['expired', 'skipped'] as const)(
  'does not keep what may end otherwise the next time: %s',
  (status) => {
    const recent = new RecentResults(new ManualClock());
    recent.add({ pub_id: 'p', status });
    expect(recent.find('p')).toBeUndefined();
  },
);
