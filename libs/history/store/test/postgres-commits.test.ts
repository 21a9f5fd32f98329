import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Found, type Stream, streamName } from '../src/index.js';
import { slotOf } from '../src/model/calendar.js';
import {
  addressOf,
  after,
  append,
  corner,
  headOf,
  NOTHING,
  NOW_MS,
  openPostgres,
  type OpenedPostgres,
  receiptOf,
  recordAt,
  streamIn,
  wantedOf,
} from './scene.js';
import { AT_ONCE, watched } from './watched.js';

/** Publishes with that idempotency at that moment, unless it was acknowledged within the last ten minutes. */
async function acknowledge(
  { store, asked }: ReturnType<typeof watched>,
  scope: string,
  nowMs: number,
): Promise<{ readonly isNew: boolean; readonly ways: readonly string[] }> {
  const address = addressOf('scopes');
  const receipts = { scopes: [scope], sinceMs: nowMs - 600_000 };
  asked();
  const { changes } = await store.commit(wantedOf([address], { nowMs, receipts }), (found) => {
    if (found.receipts.has(scope)) return { changes: NOTHING };
    const stream = streamIn(found, address);
    const record = recordAt(stream);
    return {
      changes: {
        ...NOTHING,
        streams: [after(stream, record)],
        records: [record],
        receipts: [receiptOf(record, { scope, atMs: nowMs, untilMs: nowMs + 600_000 })],
      },
    };
  });
  return { isNew: changes.records.length > 0, ways: asked() };
}

const HOUR_MS = Date.parse('2026-03-05T11:00:00Z');

describe('batches over postgres', () => {
  let end: () => Promise<void>;
  let one: OpenedPostgres;
  let other: OpenedPostgres;
  beforeAll(async () => {
    const { url, end: ended } = await corner();
    end = ended;
    [one, other] = await Promise.all([openPostgres(url), openPostgres(url)]);
  });
  afterAll(async () => {
    await Promise.all([one.close(), other.close()]);
    await end();
  });

  it('are decided on what was written last, without reading it again', async () => {
    const { store, asked } = watched(one.database);
    const address = addressOf('again');
    await append(store, address, [{}]);
    expect(asked()).toContain('select s.stream_key, s.app_id,');
    await append(store, address, [{}]);
    expect(asked()).toEqual(['with held as']);
    await append(other.store, address, [{}]);
    await append(store, address, [{}]);
    expect(asked()).toContain('select s.stream_key, s.app_id,');
    expect(await headOf(store, address)).toMatchObject({ nextDeliverySerial: 5 });
  });

  it('write nothing of what was decided on what is not so any more', async () => {
    const address = addressOf('overtaken');
    await append(one.store, address, [{}]);
    const { streamKey, generation } = await headOf(one.store, address);
    await other.store.raiseWatermarks([{ streamKey, generation, serial: 1 }], {
      lanes: [0],
      writerId: 'w',
      nowMs: NOW_MS,
    });
    const decided: number[] = [];
    await one.store.commit(wantedOf([address]), (found) => {
      const stream = streamIn(found, address);
      decided.push(stream.fannedOutSerial);
      const record = recordAt(stream);
      return { changes: { ...NOTHING, streams: [after(stream, record)], records: [record] } };
    });
    expect(decided).toEqual([0, 1]);
    expect(await headOf(one.store, address)).toMatchObject({ nextDeliverySerial: 3, fannedOutSerial: 1 });
  });

  it('are decided anew when one of their records was acknowledged before', async () => {
    const address = addressOf('acknowledged');
    const scope = receiptOf(recordAt(streamIn(await foundOf(one, 'acknowledged'), address))).scope;
    const asked = wantedOf([address], { receipts: { scopes: [scope], sinceMs: 0 } });
    const write = () =>
      one.store.commit(asked, (found) => {
        if (found.receipts.has(scope)) return { changes: NOTHING };
        const stream = streamIn(found, address);
        const record = recordAt(stream);
        const receipts = [receiptOf(record, { scope })];
        return { changes: { ...NOTHING, streams: [after(stream, record)], records: [record], receipts } };
      });
    expect((await write()).changes.records).toHaveLength(1);
    expect((await write()).changes.records).toHaveLength(0);
    expect(await headOf(one.store, address)).toMatchObject({ nextDeliverySerial: 2 });
  });

  it.each([
    ['of the hour', 10, 20],
    ['of the hour before', -5, 3],
    ['of the hour ahead, where the clock of another writer is', 62, 58],
  ])('see a receipt %s', async (_which, firstMinute, thenMinute) => {
    const commits = watched(one.database);
    const [first, then] = [firstMinute, thenMinute].map((minute) => HOUR_MS + minute * 60_000);
    const scope = randomUUID();
    // The hours have their tables, and the stream is remembered.
    for (const at of [first, then]) await acknowledge(commits, randomUUID(), at ?? 0);
    expect(await acknowledge(commits, scope, first ?? 0)).toEqual({ isNew: true, ways: AT_ONCE });
    const { isNew, ways } = await acknowledge(commits, scope, then ?? 0);
    expect(isNew).toBe(false);
    // It was tried, for nothing else spoke against it.
    expect(ways.slice(0, 1)).toEqual(AT_ONCE);
    expect(ways.length).toBeGreaterThan(1);
  });

  it('see a receipt of the hour that they do not write again', async () => {
    const commits = watched(one.database);
    const [known, fresh] = [randomUUID(), randomUUID()];
    const [address, at] = [addressOf('scopes'), HOUR_MS + 30 * 60_000];
    await acknowledge(commits, known, at);
    const decided: boolean[] = [];
    const receipts = { scopes: [known, fresh], sinceMs: at - 600_000 };
    await commits.store.commit(wantedOf([address], { nowMs: at, receipts }), (found) => {
      decided.push(found.receipts.has(known));
      const record = recordAt(streamIn(found, address));
      return {
        changes: {
          ...NOTHING,
          streams: [after(streamIn(found, address), record)],
          records: [record],
          receipts: [receiptOf(record, { scope: fresh, atMs: at })],
        },
      };
    });
    expect(decided).toEqual([false, true]);
  });

  it('write over a receipt of the hour that is too old to count', async () => {
    const commits = watched(one.database);
    const scope = randomUUID();
    const late = NOW_MS + 601_000;
    expect(slotOf(late)).toBe(slotOf(NOW_MS));
    expect((await acknowledge(commits, scope, NOW_MS)).isNew).toBe(true);
    expect((await acknowledge(commits, scope, late)).isNew).toBe(true);
    expect((await acknowledge(commits, scope, late)).isNew).toBe(false);
  });

  it('leave a stream to whoever holds it, although they remember it', async () => {
    const address = addressOf('held-elsewhere');
    await append(one.store, address, [{}]);
    await other.database.transaction(async (session) => {
      await session.query(
        `select 1 from service_history_streams where channel = 'held-elsewhere' for update`,
      );
      const { found } = await one.store.commit(wantedOf([address]), (what) => ({
        changes: NOTHING,
        found: what,
      }));
      expect(found.streams.has(streamName(address))).toBe(false);
    });
  });

  it('start from what is stored, whoever wrote it and how', async () => {
    const names = ['p', 'q', 'r'];
    const model = new Map<string, Stream>();
    const step = fc.record({
      store: fc.constantFrom('one', 'other'),
      channels: fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }),
      how: fc.constantFrom('append', 'append', 'append', 'raise', 'leave', 'reset'),
      payloadSize: fc.nat(1000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        for (const { store: name, channels, how, payloadSize } of steps) {
          const { store } = name === 'one' ? one : other;
          const addresses = channels.map((channel) => addressOf(channel));
          if (how === 'raise') {
            const marks = addresses.flatMap((address) => {
              const known = model.get(streamName(address));
              if (known === undefined) return [];
              const serial = known.nextDeliverySerial - 1;
              model.set(streamName(address), { ...known, fannedOutSerial: serial });
              return [{ streamKey: known.streamKey, generation: known.generation, serial }];
            });
            await store.raiseWatermarks(marks, { lanes: [0], writerId: 'w', nowMs: NOW_MS });
            continue;
          }
          const { changes, found } = await store.commit(wantedOf(addresses), (what) => {
            const streams = addresses.map((address) => streamIn(what, address));
            if (how === 'leave') return { changes: NOTHING, found: what };
            if (how === 'reset')
              return {
                changes: {
                  ...NOTHING,
                  streams: streams.map((stream) => ({ ...stream, generation: stream.generation + 1 })),
                },
                found: what,
              };
            const records = streams.map((stream) => recordAt(stream, { payloadSize }));
            return {
              changes: {
                ...NOTHING,
                records,
                streams: streams.flatMap((stream, index) => {
                  const record = records[index];
                  return record === undefined ? [] : [after(stream, record)];
                }),
              },
              found: what,
            };
          });
          for (const [streamed, stream] of found.streams)
            if (model.has(streamed)) expect(stream).toEqual(model.get(streamed));
          for (const stream of [...found.streams.values()].filter((found_) => found_ !== null))
            model.set(streamName(stream.address), stream);
          for (const stream of changes.streams) model.set(streamName(stream.address), stream);
        }
      }),
      { numRuns: 25 },
    );
    const heads = await one.store.heads(names.map((name) => addressOf(name)));
    for (const [name, stream] of model) expect(heads.get(name)).toEqual(stream);
  });
});

/** Returns the state found by a batch without changes. */
async function foundOf({ store }: OpenedPostgres, channel: string): Promise<Found> {
  const { found } = await store.commit(wantedOf([addressOf(channel)]), (what) => ({
    changes: NOTHING,
    found: what,
  }));
  return found;
}
