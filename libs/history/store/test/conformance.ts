import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DurableStore, FOREVER_MS, streamName } from '../src/index.js';
import { conformanceOfCheckpoints } from './conformance-checkpoints.js';
import { conformanceOfDegraded } from './conformance-degraded.js';
import { conformanceOfInspection } from './conformance-inspection.js';
import { conformanceOfPresence } from './conformance-presence.js';
import { conformanceOfPurge } from './conformance-purge.js';
import { conformanceOfReads } from './conformance-reads.js';
import {
  addressOf,
  after,
  append,
  headOf,
  NOTHING,
  NOW_MS,
  type Opened,
  receiptOf,
  recordAt,
  streamIn,
  wantedOf,
} from './scene.js';

const HOSTILE = `'); drop table x; -- "{}",\\\\N NULL \u0001\u{1f514}'"\\`;

/** Requirements of every store. */
export function conformance(name: string, open: () => Promise<Opened>): void {
  describe(`a ${name} store`, () => {
    let opened: Opened;
    let store: DurableStore;
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    afterAll(() => opened.close());

    it('makes a stream that is wanted, and only then', async () => {
      const [made, not] = [addressOf('made'), addressOf('not-made')];
      await store.commit(wantedOf([made]), (found) => {
        expect(streamIn(found, made)).toMatchObject({
          address: made,
          generation: 1,
          nextDeliverySerial: 1,
          fannedOutSerial: 0,
          durable: { state: 'healthy' },
        });
        return { changes: NOTHING };
      });
      await store.commit(wantedOf([], { streams: [{ address: not, create: false }] }), (found) => {
        expect(found.streams.get(streamName(not))).toBeNull();
        return { changes: NOTHING };
      });
      const heads = await store.heads([made, not]);
      expect([...heads.keys()]).toEqual([streamName(made)]);
    });

    it('gives back every value of a stream as it was written', async () => {
      const address = addressOf('values');
      const values = {
        streamId: randomUUID(),
        generation: 3,
        nextDeliverySerial: 9_007_199_254_740_000,
        nextHistorySerial: 12,
        nextAnnotationNo: 4,
        fannedOutSerial: 7,
        lastCacheSerial: 6,
        floorDeliverySerial: 2,
        floorHistorySerial: 3,
        retainedMessages: 9,
        retainedBytes: 5_000_000_000,
        newestPublishedAtMs: NOW_MS + 5,
        lastAnnotationSerial: HOSTILE,
        lastKeepDay: '9999-12-31',
        maxMessages: 100,
        maxBytes: 5_000_000_001,
        durable: { state: 'degraded', reason: HOSTILE, nodeId: 'n', changedAtMs: NOW_MS },
        updatedAtMs: NOW_MS + 1,
      } as const;
      await store.commit(wantedOf([address]), (found) => ({
        changes: { ...NOTHING, streams: [{ ...streamIn(found, address), ...values }] },
      }));
      expect(await headOf(store, address)).toMatchObject(values);
    });

    it('keeps records as they are, whatever their text', async () => {
      const address = addressOf(`records ${HOSTILE}`);
      const written = await append(store, address, [
        {
          payload: JSON.stringify({ event: HOSTILE }),
          eventName: HOSTILE,
          messageId: HOSTILE,
          actorClientId: HOSTILE,
        },
        {
          historyUntilMs: FOREVER_MS,
          keepUntilMs: FOREVER_MS,
          action: 'create',
          messageSerial: '1',
          versionSerial: '1',
        },
      ]);
      const { streamKey, generation } = await headOf(store, address);
      const range = { streamKey, generation, fromSerial: 1, toSerial: 9, limit: 9 };
      expect(await store.range(range)).toEqual(written);
      expect(await store.range({ ...range, fromSerial: 2 })).toEqual(written.slice(1));
      expect(await store.range({ ...range, limit: 1 })).toEqual(written.slice(0, 1));
      expect(await store.range({ ...range, toSerial: 1 })).toEqual(written.slice(0, 1));
      expect(await store.range({ ...range, generation: 2 })).toEqual([]);
    });

    it('writes nothing when the decision fails', async () => {
      const address = addressOf('failing');
      await append(store, address, [{}]);
      const failing = store.commit(wantedOf([address]), () => {
        throw new Error('no decision');
      });
      await expect(failing).rejects.toThrow('no decision');
      expect(await headOf(store, address)).toMatchObject({ nextDeliverySerial: 2 });
    });

    it('finds receipts by scope with the serials of their records', async () => {
      const address = addressOf('receipts');
      const [scope, control, old] = [randomUUID(), randomUUID(), randomUUID()];
      await store.commit(wantedOf([address]), (found) => {
        const stream = streamIn(found, address);
        const record = recordAt(stream, { publishedAtMs: NOW_MS + 3 });
        return {
          changes: {
            ...NOTHING,
            streams: [after(stream, record)],
            records: [record],
            receipts: [
              receiptOf(record, { scope, fingerprint: 'ab'.repeat(32) }),
              receiptOf(record, { scope: control, deliverySerial: null, extra: '{"text":"\u00e4"}' }),
              receiptOf(record, { scope: old, atMs: NOW_MS - 700_000 }),
            ],
          },
        };
      });
      const scopes = [scope, control, old, randomUUID()];
      const receipts = { scopes, sinceMs: NOW_MS - 600_000 };
      await store.commit(wantedOf([address], { receipts }), (found) => {
        expect([...found.receipts.keys()].sort()).toEqual([scope, control].sort());
        expect(found.receipts.get(scope)).toMatchObject({
          deliverySerial: 1,
          historySerial: 1,
          publishedAtMs: NOW_MS + 3,
          fingerprint: 'ab'.repeat(32),
          extra: null,
        });
        expect(found.receipts.get(control)).toMatchObject({
          deliverySerial: null,
          historySerial: null,
          extra: '{"text":"\u00e4"}',
        });
        return { changes: NOTHING };
      });
    });

    it('puts a receipt in the place of an older one of its scope', async () => {
      const address = addressOf('receipt-again');
      const scope = randomUUID();
      const pubIds = [randomUUID(), randomUUID()];
      for (const pubId of pubIds) {
        await store.commit(wantedOf([address]), (found) => {
          const stream = streamIn(found, address);
          const record = recordAt(stream);
          return {
            changes: {
              ...NOTHING,
              streams: [after(stream, record)],
              records: [record],
              receipts: [receiptOf(record, { scope, pubId })],
            },
          };
        });
      }
      await store.commit(
        wantedOf([address], { receipts: { scopes: [scope], sinceMs: NOW_MS - 600_000 } }),
        (found) => {
          expect(found.receipts.get(scope)).toMatchObject({ pubId: pubIds[1], deliverySerial: 2 });
          return { changes: NOTHING };
        },
      );
    });

    it('remembers members', async () => {
      const address = addressOf('presence-a', 'presence');
      const userIds = ['u1', HOSTILE];
      const wanted = wantedOf([address], {
        members: [...userIds, 'u9'].map((userId) => ({ address, userId })),
      });
      for (const lastSerial of [1, 2]) {
        await store.commit(wanted, (found) => {
          const stream = streamIn(found, address);
          const { streamKey, generation } = stream;
          return {
            changes: {
              ...NOTHING,
              streams: [stream],
              presenceMembers: userIds.map((userId) => ({
                streamKey,
                generation,
                userId,
                present: lastSerial === 2,
                lastNo: lastSerial === 1 ? null : 1_760_000_000_000_000,
                lastSerial,
              })),
              presenceEvents: userIds.map((userId, index) => ({
                streamKey,
                generation,
                serial: lastSerial * 2 + index,
                atMs: NOW_MS,
                event: 'member_added',
                cause: 'join',
                userId,
                connectionId: null,
                deadNodeId: null,
                body: 'null',
                bodySize: 4,
                keepUntilMs: FOREVER_MS,
              })),
            },
          };
        });
      }
      await store.commit(wanted, ({ members }) => {
        expect(members.map(({ userId }) => userId).sort()).toEqual([...userIds].sort());
        expect(members[0]).toMatchObject({ present: true, lastNo: 1_760_000_000_000_000, lastSerial: 2 });
        return { changes: NOTHING };
      });
    });

    conformanceOfReads(() => store);
    conformanceOfPresence(() => store);
    conformanceOfCheckpoints(() => store);
    conformanceOfPurge(() => store);
    conformanceOfInspection(() => store);
    conformanceOfDegraded(() => store);
  });
}
