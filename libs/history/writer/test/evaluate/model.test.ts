import { randomUUID } from 'node:crypto';
import type { CommitRecord } from '@carillon/contracts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyed, publishOf, purgeOf, resetOf } from '../samples.js';
import { Scene } from './scene.js';

/** Minimal model of a channel. */
interface Model {
  generation: number;
  next: number;
  rows: { serial: number; data: string; atMs: number }[];
  lastAtMs: number;
}

type Step =
  | { readonly kind: 'publish'; readonly channel: number; readonly key: number | null; readonly data: number }
  | { readonly kind: 'resend'; readonly of: number }
  | { readonly kind: 'reset'; readonly channel: number }
  | { readonly kind: 'purge'; readonly channel: number; readonly before: number }
  | { readonly kind: 'clock'; readonly byMs: number };

const channel = fc.integer({ min: 0, max: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('publish' as const),
      channel,
      key: fc.option(fc.integer({ min: 0, max: 3 })),
      data: fc.integer({ min: 0, max: 2 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('resend' as const), of: fc.nat(40) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reset' as const), channel }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('purge' as const),
      channel,
      before: fc.integer({ min: 1, max: 12 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('clock' as const),
      byMs: fc.integer({ min: -5000, max: 50_000 }),
    }),
  },
);

const TTL_MS = 120_000;

describe('a batch', () => {
  it('comes to what a simple model of its channels says, however it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { maxLength: 8 }), { maxLength: 8 }), async (batches) => {
        const scene = new Scene();
        const models = new Map<string, Model>();
        interface Receipt {
          serial: number;
          pubId: string;
          data: string;
          untilMs: number;
          generation: number;
        }
        const receipts = new Map<string, Receipt>();
        const sent: CommitRecord[] = [];

        const model = (name: string): Model => {
          const found = models.get(name) ?? { generation: 1, next: 1, rows: [], lastAtMs: 0 };
          models.set(name, found);
          return found;
        };
        const expectPublish = (record: Extract<CommitRecord, { op: 'publish' }>) => {
          const scope = record.idem?.scope ?? record.pub_id;
          const data = String(JSON.parse(record.message).data);
          const before = receipts.get(scope);
          const isGood =
            before !== undefined &&
            before.untilMs > scene.nowMs &&
            before.generation === model(record.channel).generation;
          if (before !== undefined && (isGood || before.pubId === record.pub_id)) {
            if (before.pubId === record.pub_id) return { status: 'applied', serial: before.serial };
            if (before.data !== data) return { status: 'rejected', serial: null };
            return { status: 'duplicate', serial: before.serial };
          }
          const channel = model(record.channel);
          channel.lastAtMs = Math.max(channel.lastAtMs, scene.nowMs);
          channel.rows.push({ serial: channel.next, data, atMs: channel.lastAtMs });
          const untilMs = scene.nowMs + (record.idem === undefined ? 600_000 : TTL_MS);
          const { generation, next: serial } = channel;
          receipts.set(scope, { serial, pubId: record.pub_id, data, untilMs, generation });
          channel.next += 1;
          return { status: 'applied', serial: channel.next - 1 };
        };

        for (const steps of batches) {
          const records: CommitRecord[] = [];
          for (const one of steps) {
            if (one.kind === 'publish') {
              const name = `c${one.channel}`;
              const idem =
                one.key === null ? {} : { idem: keyed(name, `k${one.key}`, String(one.data), TTL_MS) };
              records.push(publishOf(name, String(one.data), idem));
            } else if (one.kind === 'resend') {
              const again = sent.filter(({ op }) => op === 'publish')[one.of];
              if (again !== undefined && !records.includes(again)) records.push(again);
            }
          }
          const expected = records.map((record) =>
            record.op === 'publish' ? expectPublish(record) : { status: 'applied', serial: null },
          );
          const results = await scene.results(...records);
          expect(
            results.map((result) => ({ status: result?.status, serial: result?.delivery_serial ?? null })),
          ).toEqual(expected);
          // A record whose receipt has expired is not sent again.
          sent.push(
            ...records.filter(
              (record) => record.op === 'publish' && record.idem === undefined && !sent.includes(record),
            ),
          );

          for (const one of steps) {
            if (one.kind === 'clock') scene.nowMs += one.byMs;
            if (one.kind === 'reset') {
              const name = `c${one.channel}`;
              const known = models.get(name);
              const result = await scene.result(resetOf(name));
              expect(result).toMatchObject({
                status: 'applied',
                extra: { purged_messages: known?.rows.length ?? 0 },
              });
              const generation = model(name).generation + 1;
              models.set(name, { generation, next: 1, rows: [], lastAtMs: 0 });
            }
            if (one.kind === 'purge') {
              const name = `c${one.channel}`;
              const rows = models.get(name)?.rows ?? [];
              const gone = rows.filter(({ serial }) => serial < one.before);
              const result = await scene.result(
                purgeOf(name, { mode: 'before_serial', before_serial: one.before }),
              );
              expect(result.extra).toMatchObject({ purged_messages: gone.length });
              if (models.has(name)) model(name).rows = rows.filter(({ serial }) => serial >= one.before);
            }
          }
        }
        for (const [name, { rows, next }] of models) {
          const stream = await scene.stream(name);
          const history = await scene.history(name);
          expect(stream).toMatchObject({ nextHistorySerial: next, retainedMessages: rows.length });
          expect(history.map(({ serial, atMs }) => ({ serial, atMs }))).toEqual(
            rows.map(({ serial, atMs }) => ({ serial, atMs })),
          );
          expect(history.map(({ payload }) => String(JSON.parse(payload ?? 'null').data))).toEqual(
            rows.map(({ data }) => data),
          );
        }
      }),
      { numRuns: 200 },
    );
  });

  it('never uses a stream id twice', async () => {
    const scene = new Scene();
    const ids = new Set<unknown>();
    for (let times = 0; times < 5; times += 1) {
      const results = await scene.results(publishOf('orders', randomUUID()));
      ids.add(results[0]?.stream_id);
      await scene.result(resetOf('orders'));
    }
    expect(ids.size).toBe(5);
  });
});
