import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NewReplayEntry, Replay, ReplayPlace, StreamPosition } from '../src/index.js';

/** One empty store as a test sees it. */
export interface Store {
  readonly replay: Replay;
  /** The same store as another process has it. */
  readonly other: Replay;
  /** Lets that much time go by for the store. */
  pass(ms: number): Promise<void>;
  /** Deletes the state of a channel, as a flush does. */
  lose(place: ReplayPlace): Promise<void>;
  end(): Promise<void>;
}

const MINUTE = 60_000;
const ORDERS: ReplayPlace = { appId: 'shop', channel: 'orders' };

const entry = (text: string, more: Partial<NewReplayEntry> = {}): NewReplayEntry => ({
  place: ORDERS,
  text,
  bounds: { maxCount: 5, maxAgeMs: MINUTE },
  once: null,
  ...more,
});

const runOn =
  (open: () => Promise<Store>) =>
  (work: (store: Store) => Promise<void>): (() => Promise<void>) =>
  async () => {
    const store = await open();
    try {
      await work(store);
    } finally {
      await store.end();
    }
  };

async function append({ replay }: Pick<Store, 'replay'>, ...texts: string[]): Promise<StreamPosition> {
  let position: StreamPosition = { streamId: '', serial: 0 };
  for (const text of texts) position = await replay.append(entry(text));
  return position;
}

async function kept({ other }: Pick<Store, 'other'>, from = 1): Promise<unknown> {
  const range = await other.range(ORDERS, from, MINUTE);
  return range?.entries.map(({ serial, text }) => `${serial} ${text}`) ?? null;
}

/** Requirements of every driver; `open` returns an empty store with a limit of 1000 bytes per channel. */
export function conformance(driver: string, open: () => Promise<Store>): void {
  const withStore = runOn(open);
  describe(`replay ${driver}`, () => {
    it(
      'gives every event the next serial of one stream and keeps it, for every process',
      withStore(async (store) => {
        const [head] = await store.replay.heads([ORDERS]);
        expect(head?.serial).toBe(0);
        expect(await append(store, 'a', 'b c')).toEqual({ streamId: head?.streamId, serial: 2 });
        expect(await store.other.append(entry('ü'))).toEqual({ streamId: head?.streamId, serial: 3 });
        expect(await store.other.heads([ORDERS])).toEqual([{ streamId: head?.streamId, serial: 3 }]);
        expect(await kept(store)).toEqual(['1 a', '2 b c', '3 ü']);
        expect(await kept(store, 3)).toEqual(['3 ü']);
        expect(await kept(store, 4)).toEqual([]);
      }),
    );

    it(
      'knows nothing of a channel that was never used, and begins a stream of its own for each',
      withStore(async (store) => {
        expect(await kept(store)).toBeNull();
        const places = ['a', 'b', 'a'].map((channel) => ({ appId: 'shop', channel }));
        const [a, b, again] = await store.replay.heads([...places, { appId: 'other', channel: 'a' }]);
        expect(a).toEqual(again);
        expect(a?.streamId).not.toBe(b?.streamId);
        expect(await store.replay.heads([{ appId: 'other', channel: 'a' }])).not.toEqual([a]);
      }),
    );

    it(
      'keeps no more than so many, so many bytes, and nothing too old',
      withStore(async (store) => {
        await append(store, 'a', 'b', 'c', 'd', 'e', 'f', 'g');
        expect(await kept(store)).toEqual(['3 c', '4 d', '5 e', '6 f', '7 g']);
        await append(store, 'x'.repeat(600), 'y'.repeat(600));
        expect(await kept(store)).toEqual([`9 ${'y'.repeat(600)}`]);
        await append(store, 'z'.repeat(1100));
        expect(await kept(store)).toEqual([]);
        await append(store, 'after');
        expect(await kept(store)).toEqual(['11 after']);
        const soon = { maxCount: 5, maxAgeMs: 60 };
        await store.replay.append(entry('old', { bounds: soon }));
        await store.pass(100);
        expect((await store.other.range(ORDERS, 1, 60))?.entries).toEqual([]);
        expect(await store.replay.append(entry('new', { bounds: soon }))).toMatchObject({ serial: 13 });
        // By now the new one may be too old as well.
        const range = await store.other.range(ORDERS, 1, MINUTE);
        expect(range?.entries.filter(({ serial }) => serial < 13)).toEqual([]);
      }),
    );

    it(
      'never begins a lost counter again under the stream id it had',
      withStore(async (store) => {
        const before = await append(store, 'a', 'b', 'c');
        await store.lose(ORDERS);
        const after = await append(store, 'd');
        expect(after.serial).toBe(1);
        expect(after.streamId).not.toBe(before.streamId);
        expect(await kept(store)).toEqual(['1 d']);
      }),
    );

    it(
      'begins a stream anew for whoever knows the one there is',
      withStore(async (store) => {
        const { streamId } = await append(store, 'a');
        expect(await store.replay.renew(ORDERS, 'another')).toBe(false);
        expect(await store.replay.renew(ORDERS, streamId)).toBe(true);
        expect(await store.other.renew(ORDERS, streamId)).toBe(false);
        const [head] = await store.other.heads([ORDERS]);
        expect(head?.serial).toBe(0);
        expect(head?.streamId).not.toBe(streamId);
        expect(await kept(store)).toEqual([]);
      }),
    );

    it(
      'gives what is tried again the place it has, for a while and in one stream',
      withStore(async (store) => {
        const once = entry('a', { once: { id: 'try', forMs: MINUTE } });
        const first = await store.replay.append(once);
        expect(await store.other.append(once)).toEqual(first);
        expect(await kept(store)).toEqual(['1 a']);
        await store.replay.renew(ORDERS, first.streamId);
        expect(await store.other.append(once)).toMatchObject({ serial: 1 });
        const brief = entry('b', { once: { id: 'brief', forMs: 50 } });
        expect(await store.replay.append(brief)).toMatchObject({ serial: 2 });
        await store.pass(80);
        expect(await store.other.append(brief)).toMatchObject({ serial: 3 });
      }),
    );

    it(
      'gives no serial twice, whoever asks at one time',
      withStore(async ({ replay, other }) => {
        const asked = Array.from({ length: 60 }, async (_, n) =>
          (n % 2 === 0 ? replay : other).append(
            entry(`${n}`, { bounds: { maxCount: 60, maxAgeMs: MINUTE } }),
          ),
        );
        const given = await Promise.all(asked);
        expect(given.map(({ serial }) => serial).sort((a, b) => a - b)).toEqual(given.map((_, n) => n + 1));
        const range = await other.range(ORDERS, 1, MINUTE);
        for (const [n, { serial }] of given.entries())
          expect(range?.entries[serial - 1]).toMatchObject({ serial, text: `${n}` });
      }),
    );

    it(
      'keeps any text as it is',
      withStore(async ({ replay, other }) => {
        const text = fc.string({ unit: 'grapheme', maxLength: 40 });
        let serial = 0;
        await fc.assert(
          fc.asyncProperty(text, async (any) => {
            serial = (await replay.append(entry(any))).serial;
            const range = await other.range(ORDERS, serial, MINUTE);
            expect(range?.entries.at(-1)).toMatchObject({ serial, text: any });
          }),
          { numRuns: 25 },
        );
      }),
    );

    it(
      'refuses everything once it is closed',
      withStore(async ({ replay }) => {
        await replay.close();
        await replay.close();
        await expect((async () => replay.append(entry('a')))()).rejects.toMatchObject({ status: 503 });
        await expect((async () => replay.heads([ORDERS]))()).rejects.toMatchObject({ status: 503 });
        expect(await replay.health()).toBeTypeOf('string');
      }),
    );
  });
}
