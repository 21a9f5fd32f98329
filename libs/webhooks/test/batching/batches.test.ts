import { decodeWebhookJob, type WebhookJob } from '@carillon/contracts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutBatches, type CollectedEvent } from '../../src/batching/batches.js';

const event = (n: number, size = 0): CollectedEvent => {
  const body = JSON.stringify({ name: 'cache_miss', channel: `c${n}`, data: 'x'.repeat(size) });
  return { appId: 'shop', name: 'cache_miss', channel: `c${n}`, body, atMs: 1000 + n, bytes: body.length };
};

function jobOf({ data }: { readonly data: string }): WebhookJob {
  const decoded = decodeWebhookJob(data, 1_000_000);
  if (!decoded.ok || decoded.message.kind !== 'webhook') throw new Error('no batch');
  return decoded.message;
}

describe('events are cut into batches', () => {
  it('of at most so many, in order, under the time of the oldest', () => {
    const { batches } = cutBatches(
      [0, 1, 2, 3, 4].map((n) => event(n)),
      2,
      100_000,
    );
    const jobs = batches.map(jobOf);
    expect(jobs.map(({ events }) => events.map(({ channel }) => channel))).toEqual([
      ['c0', 'c1'],
      ['c2', 'c3'],
      ['c4'],
    ]);
    expect(jobs.map(({ time_ms }) => time_ms)).toEqual([1000, 1002, 1004]);
    expect(jobs.map(({ batch_id }) => batch_id)).toEqual(batches.map(({ id }) => id));
    expect(new Set(batches.map(({ id }) => id)).size).toBe(3);
  });

  it('that never exceed the size of a job, losing nothing that fits', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 900 }), { maxLength: 40 }),
        fc.integer({ min: 1, max: 30 }),
        (sizes, most) => {
          const events = sizes.map((size, n) => event(n, size));
          const { batches, tooLarge } = cutBatches(events, most, 800);
          for (const batch of batches) {
            expect(Buffer.byteLength(batch.data)).toBeLessThanOrEqual(800);
            expect(batch.events).toBeLessThanOrEqual(most);
            expect(jobOf(batch).events.length).toBe(batch.events);
          }
          const order = batches.flatMap((batch) => jobOf(batch).events.map(({ channel }) => channel));
          const lost = new Set(tooLarge.map(({ channel }) => channel));
          expect(events.map(({ channel }) => channel).filter((one) => !lost.has(one))).toEqual(order);
          for (const { body } of tooLarge) expect(body.length).toBeGreaterThan(500);
        },
      ),
    );
  });
});
