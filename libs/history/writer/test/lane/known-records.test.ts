import type { CommitResult } from '@carillon/contracts';
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
/** Result of a publish, derived from the number of its id. */
function applied(pubId: string): CommitResult {
  const number = Number(pubId.slice(-12));
  return {
    pub_id: pubId,
    status: 'applied',
    stream_id: idOf(number % 3),
    delivery_serial: number + 1,
    history_serial: number % 2 === 0 ? null : number,
    message_serial: null,
    version_serial: null,
    published_at_ms: 1_700_000_000_000 + number,
  };
}

it('finds what waits, and what was answered in the last seconds, however often others were', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          pauseMs: fc.integer({ min: 0, max: 6000 }),
          waits: fc.nat({ max: 8 }),
          expires: fc.boolean(),
        }),
        {
          minLength: 1,
          maxLength: 40,
          size: 'max',
        },
      ),
      async (steps) => {
        const clock = new ManualClock();
        const known = new KnownRecords(clock);
        const waiting: { readonly entry: Entry; readonly until: number; readonly expires: boolean }[] = [];
        const answered: { readonly id: string; readonly atMs: number }[] = [];
        for (const [index, { pauseMs, waits, expires }] of steps.entries()) {
          await clock.pass(pauseMs);
          const entry = entryOf(idOf(index));
          expect(known.find(entry.pubId)).toBeNull();
          known.add(entry);
          waiting.push({ entry, until: index + waits, expires });
          for (const { entry: one, expires: isOver } of waiting.filter((each) => each.until === index)) {
            known.answered(isOver ? { pub_id: one.pubId, status: 'expired' } : applied(one.pubId));
            if (!isOver) answered.push({ id: one.pubId, atMs: clock.elapsed() });
          }
          for (const { entry: one, until, expires: isOver } of waiting) {
            if (until > index) expect(known.find(one.pubId)).toBe(one);
            else if (isOver) expect(known.find(one.pubId)).toBeNull();
          }
          for (const { id, atMs } of answered)
            if (clock.elapsed() - atMs < 10_000) expect(known.find(id)).toEqual(applied(id));
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
    known.answered(applied(entry.pubId));
  };
  addAnswered(1);
  for (let time = 0; time < 2; time += 1) {
    await clock.pass(10_000);
    addAnswered(2 + time);
  }
  expect(known.find(idOf(1))).toBeNull();
  for (let number = 10; number <= 50_010; number += 1) addAnswered(number);
  expect(known.find(idOf(10))).toBeNull();
  expect(known.find(idOf(50_010))).toEqual(applied(idOf(50_010)));
});

it.each(['expired', 'skipped'] as const)(
  'has no answer of what may end otherwise the next time: %s',
  (status) => {
    const known = new KnownRecords(new ManualClock());
    const entry = entryOf(idOf(1));
    known.add(entry);
    known.answered({ pub_id: entry.pubId, status });
    expect(known.find(entry.pubId)).toBeNull();
  },
);

it.each([
  ['a rejection', { status: 'rejected', code: 'invalid_input', http_status: 400, error: 'no' }],
  ['a record that was found', { status: 'duplicate' }],
  ['a record that changed a message', { status: 'applied', message_serial: '7', version_serial: '7@1' }],
  ['an annotation', { status: 'applied', annotation_serial: '7' }],
  ['a reset', { status: 'applied', extra: '{"old":1}' }],
  ['a record without a place', { status: 'applied', delivery_serial: null }],
  ['a record without a stream', { status: 'applied', stream_id: null }],
] as const)('answers as before: %s', (_, what) => {
  const known = new KnownRecords(new ManualClock());
  const entry = entryOf(idOf(1));
  known.add(entry);
  const result = { ...applied(entry.pubId), ...what };
  known.answered(result);
  expect(known.find(entry.pubId)).toEqual(result);
});
