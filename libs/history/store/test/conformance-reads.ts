import { describe, expect, it } from 'vitest';
import { type HistoryStore, laneOf, type PageQuery, type Purgeable } from '../src/index.js';
import { addressOf, append, DAY_MS, headOf, NOTHING, NOW_MS, wantedOf } from './scene.js';

/** Requirements of the reads of every store. */
export function conformanceOfReads(current: () => HistoryStore): void {
  const pageOf = async (channel: string, more: Partial<PageQuery> = {}) => {
    const rows = await current().page({
      stream: await headOf(current(), addressOf(channel)),
      nowMs: NOW_MS,
      newestFirst: false,
      fromSerial: null,
      toSerial: null,
      fromMs: null,
      toMs: null,
      limit: 100,
      ...more,
    });
    return rows.map(({ historySerial }) => historySerial);
  };

  describe('shows', () => {
    it('shows the page that is asked for', async () => {
      await append(
        current(),
        addressOf('pages'),
        [1, 2, 3, 4, 5].map((n) => ({ publishedAtMs: NOW_MS + n * 10 })),
      );
      expect(await pageOf('pages')).toEqual([1, 2, 3, 4, 5]);
      expect(await pageOf('pages', { newestFirst: true, limit: 2 })).toEqual([5, 4]);
      expect(await pageOf('pages', { fromSerial: 2, toSerial: 3 })).toEqual([2, 3]);
      expect(await pageOf('pages', { fromMs: NOW_MS + 20, toMs: NOW_MS + 40, newestFirst: true })).toEqual([
        4, 3, 2,
      ]);
    });

    it('hides what is past its time, below the floor or over a cap', async () => {
      await append(current(), addressOf('expiring'), [{ historyUntilMs: NOW_MS }, {}, {}]);
      expect(await pageOf('expiring')).toEqual([2, 3]);
      expect(await pageOf('expiring', { nowMs: NOW_MS + DAY_MS })).toEqual([]);
      expect(await current().retained(await headOf(current(), addressOf('expiring')), NOW_MS)).toEqual({
        oldest: { serial: 2, publishedAtMs: NOW_MS },
        newest: { serial: 3, publishedAtMs: NOW_MS },
        messages: 2,
        bytes: 44,
      });
      await append(current(), addressOf('floor'), [{}, {}, {}], {
        floorHistorySerial: 3,
        retainedMessages: 1,
        retainedBytes: 22,
      });
      expect(await pageOf('floor')).toEqual([3]);
      await append(current(), addressOf('counted'), [{}, {}, {}, {}, {}], { maxMessages: 3 });
      expect(await pageOf('counted')).toEqual([3, 4, 5]);
      await append(
        current(),
        addressOf('sized'),
        [{ payloadSize: 10 }, { payloadSize: 30 }, { payloadSize: 30 }],
        { maxBytes: 60 },
      );
      expect(await pageOf('sized')).toEqual([2, 3]);
      await append(current(), addressOf('too-large'), [{ payloadSize: 10 }, { payloadSize: 90 }], {
        maxBytes: 60,
      });
      expect(await pageOf('too-large')).toEqual([]);
    });

    it('reads what a purge took away as a tombstone', async () => {
      const address = addressOf('tombs');
      await append(current(), address, [{}, {}], { floorHistorySerial: 2 });
      const { streamKey, generation } = await headOf(current(), address);
      expect(
        await current().range({ streamKey, generation, fromSerial: 1, toSerial: 2, limit: 9 }),
      ).toMatchObject([
        { deliverySerial: 1, tombstone: true, payload: null },
        { deliverySerial: 2, tombstone: false },
      ]);
    });

    it('says what a purge would take away', async () => {
      const address = addressOf('purgeable');
      await append(
        current(),
        address,
        [1, 2, 3].map((n) => ({ publishedAtMs: NOW_MS + n, payloadSize: n })),
      );
      const ask = async (below: Parameters<typeof wantedOf>[1]) => {
        const seen: unknown[] = [];
        await current().commit(wantedOf([address], below), ({ purgeable }) => {
          seen.push(purgeable);
          return { changes: NOTHING };
        });
        return seen.at(-1);
      };
      expect(await ask({ below: { mode: 'all' } })).toEqual({
        historyFloor: 4,
        openStreams: 0,
        messages: 3,
        bytes: 6,
        stored: { messages: 3, bytes: 6 },
      });
      expect(await ask({ below: { mode: 'before_serial', serial: 3 } })).toEqual({
        historyFloor: 3,
        openStreams: 0,
        messages: 2,
        bytes: 3,
        stored: { messages: 2, bytes: 3 },
      });
      expect(await ask({ below: { mode: 'before_serial', serial: 99 } })).toEqual({
        historyFloor: 4,
        openStreams: 0,
        messages: 3,
        bytes: 6,
        stored: { messages: 3, bytes: 6 },
      });
      expect(await ask({ below: { mode: 'before_time_ms', timeMs: NOW_MS + 2 } })).toEqual({
        historyFloor: 2,
        openStreams: 0,
        messages: 1,
        bytes: 1,
        stored: { messages: 1, bytes: 1 },
      });
      expect(await ask({ below: { mode: 'before_time_ms', timeMs: NOW_MS + 9 } })).toEqual({
        historyFloor: 4,
        openStreams: 0,
        messages: 3,
        bytes: 6,
        stored: { messages: 3, bytes: 6 },
      });
      expect(await ask({})).toBeNull();
    });

    it('tells what a purge takes away of what can be read apart from what is hidden by retention', async () => {
      const address = addressOf('purgeable-hidden');
      const sized = { payloadSize: 10 };
      await append(
        current(),
        address,
        [{ ...sized, historyUntilMs: NOW_MS - 1 }, sized, sized, sized, sized],
        { maxMessages: 3, retainedMessages: 5, retainedBytes: 50 },
      );
      const shown = await current().retained(await headOf(current(), address), NOW_MS);
      expect(shown).toMatchObject({ messages: 3, bytes: 30 });
      const seen: unknown[] = [];
      for (const below of [{ mode: 'all' }, { mode: 'before_serial', serial: 4 }] as const)
        await current().commit(wantedOf([address], { below }), ({ purgeable }) => {
          seen.push(purgeable);
          return { changes: NOTHING };
        });
      const [all, some] = seen as [Purgeable, Purgeable];
      expect(all).toMatchObject({ historyFloor: 6, messages: shown.messages, bytes: shown.bytes });
      expect(some).toMatchObject({ historyFloor: 4, messages: 1, bytes: 10 });
      expect(some.stored.messages).toBeGreaterThanOrEqual(some.messages);
    });

    it('raises watermarks, never lowers them, and finds who is behind', async () => {
      const address = addressOf('tail');
      await append(current(), address, [{}, {}, {}]);
      const lanes = 16;
      const lane = laneOf('shop', 'tail', lanes);
      const behind = async () =>
        (await current().behind({ lane, lanes, sinceMs: NOW_MS - 60_000 })).filter(
          ({ address: { channel } }) => channel === 'tail',
        );
      expect(await behind()).toMatchObject([{ fannedOutSerial: 0 }]);
      const { streamKey, generation } = await headOf(current(), address);
      expect(await current().laneSeenAtMs(1000)).toBeNull();
      const seen = { lanes: [1000], writerId: 'w', nowMs: NOW_MS };
      await current().raiseWatermarks([{ streamKey, generation, serial: 2 }], seen);
      expect(await behind()).toMatchObject([{ fannedOutSerial: 2 }]);
      await current().raiseWatermarks([{ streamKey, generation, serial: 1 }], seen);
      await current().raiseWatermarks([{ streamKey, generation: 2, serial: 3 }], seen);
      expect(await behind()).toMatchObject([{ fannedOutSerial: 2 }]);
      await current().raiseWatermarks([{ streamKey, generation, serial: 3 }], { ...seen, nowMs: NOW_MS + 9 });
      expect(await behind()).toEqual([]);
      expect(await current().laneSeenAtMs(1000)).toBe(NOW_MS + 9);
      expect(await current().behind({ lane, lanes, sinceMs: NOW_MS + 1 })).toEqual([]);
    });

    it('tells the number of lanes that whoever came first has stored, until it is replaced', async () => {
      const store = current();
      const first = (await store.agreedLanes()) ?? 16;
      expect(await store.agreeOnLanes(first, false)).toBe(first);
      expect(await store.agreeOnLanes(first + 1, false)).toBe(first);
      expect(await store.agreeOnLanes(first + 1, true)).toBe(first + 1);
      expect(await store.agreedLanes()).toBe(first + 1);
    });
  });
}
