import type { CommitResult } from '@carillon/contract';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { Entry, type EntryLane } from '../../src/lane/entry.js';
import { KnownRecords } from '../../src/lane/known-records.js';
import { ManualClock } from '../manual-clock.js';
import { arrivalOf, publishOf } from '../samples.js';

const LANE: EntryLane = {
  handedOver: { serialOf: () => 0 },
  queued: 0,
  isBehind: false,
  settled: () => undefined,
};

const entryOf = (pubId: string): Entry =>
  new Entry(LANE, arrivalOf(publishOf('a', 'x', { pub_id: pubId })), 0, 5000);
/** A `pub_id` of its own for each number. */
const idOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const applied = (pubId: string): CommitResult => ({ pub_id: pubId, status: 'applied' });

it('finds what waits, and what was answered in the last seconds, however often others were', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ pauseMs: fc.integer({ min: 0, max: 6000 }), waits: fc.nat({ max: 8 }) }), {
        minLength: 1,
        maxLength: 40,
      }),
      async (steps) => {
        const clock = new ManualClock();
        const known = new KnownRecords(clock);
        const waiting: { readonly entry: Entry; readonly until: number }[] = [];
        const answered: { readonly id: string; readonly atMs: number }[] = [];
        for (const [index, { pauseMs, waits }] of steps.entries()) {
          await clock.pass(pauseMs);
          const entry = entryOf(idOf(index));
          expect(known.find(entry.pubId)).toBeUndefined();
          known.add(entry);
          waiting.push({ entry, until: index + waits });
          for (const { entry: one } of waiting.filter((each) => each.until === index)) {
            one.answer(applied(one.pubId));
            answered.push({ id: one.pubId, atMs: clock.elapsed() });
          }
          for (const { entry: one, until } of waiting)
            if (until > index) expect(known.find(one.pubId)).toEqual({ entry: one, result: null });
          for (const { id, atMs } of answered)
            if (clock.elapsed() - atMs < 10_000)
              expect(known.find(id)).toEqual({ entry: null, result: applied(id) });
        }
      },
    ),
  ));

it('forgets what is older than two spans, and the oldest of too many', async () => {
  const clock = new ManualClock();
  const known = new KnownRecords(clock);
  const addAnswered = (number: number): void => {
    const entry = entryOf(idOf(number));
    known.find(entry.pubId);
    known.add(entry);
    entry.answer(applied(entry.pubId));
  };
  addAnswered(1);
  for (let time = 0; time < 2; time += 1) {
    await clock.pass(10_000);
    addAnswered(2 + time);
  }
  expect(known.find(idOf(1))).toBeUndefined();
  for (let number = 10; number <= 50_010; number += 1) addAnswered(number);
  expect(known.find(idOf(10))).toBeUndefined();
  expect(known.find(idOf(50_010))).toEqual({ entry: null, result: applied(idOf(50_010)) });
});

it.each(['expired', 'skipped'] as const)(
  'has no answer of what may end otherwise the next time: %s',
  (status) => {
    const known = new KnownRecords(new ManualClock());
    const entry = entryOf(idOf(1));
    known.add(entry);
    entry.answer({ pub_id: entry.pubId, status });
    expect(known.find(entry.pubId)).toEqual({ entry: null, result: null });
  },
);
