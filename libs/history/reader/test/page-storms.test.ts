import type { CommitRecord, CommitRecordOf } from '@carillon/contracts';
import { streamName } from '@carillon/history-store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FaultDesk, HistoryReader, readHistoryQuery } from '../src/index.js';
import { openMemory, openMysql, openRecords, openPostgres, type Opened } from './stores.js';
import { publishOf, resetOf, unlessTransient, write } from './writing.js';

const STORES = [
  { name: 'memory', open: openMemory },
  { name: 'records', open: openRecords },
  { name: 'postgres', open: openPostgres },
  { name: 'mariadb', open: openMysql },
] as const;

/** `npm run proof` lets more happen, by another choice too. */
const PROOF = process.env['CARILLON_PROOF'] === 'true';
const ROUNDS = PROOF ? 240 : 80;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const BEGIN_MS = Date.parse('2026-03-05T20:00:00Z');
const SEEDS = PROOF ? [1, 2] : [1];

type Policy = Partial<CommitRecordOf<'publish'>['policy']>;
const FIXED: readonly Policy[] = [{ history_ms: 3 * 60 * MINUTE_MS, max_messages: 40 }];
const CHANGING: readonly Policy[] = [
  ...FIXED,
  { history_ms: 20 * MINUTE_MS },
  { history_ms: 2 * DAY_MS, max_bytes: 900 },
];

/** Numbers below a bound that are the same every time. */
function numbers(seed: number) {
  let state = seed;
  return (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

describe.each(STORES)('pages that are read from $name while all kinds of things happen', ({ open }) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  async function storm(seed: number, policies: readonly Policy[]) {
    const next = numbers(seed);
    const channel = `storm ${seed} ${policies.length}`;
    const address = { appId: 'shop', channel, kind: 'messages' } as const;
    const { store } = opened;
    let nowMs = BEGIN_MS;
    const claims: (readonly [CommitRecord['op'], unknown])[] = [];
    const faults = new FaultDesk({
      commits: {
        commit: async (records) => {
          const results = await write(store, records, nowMs);
          claims.push(...results.map(({ extra }) => ['mark', extra] as const));
          return results;
        },
      },
      nodeId: 'node-1',
      elapsed: () => nowMs,
      onClaim: () => undefined,
      onTrouble: (error) => {
        throw error;
      },
    });
    const reader = new HistoryReader(
      { store, now: () => nowMs, faults },
      { timeoutMs: 20_000, source: 'durable_store' },
    );
    const policy = (): Policy => policies[next(policies.length)] ?? {};
    const happen = async (): Promise<void> => {
      const what = next(100);
      const batch = 1 + next(20);
      nowMs += next(4) * MINUTE_MS;
      if (what < 3) await write(store, [resetOf('messages', channel)], nowMs);
      else if (what < 10) {
        const head = (await store.heads([address])).get(streamName(address))?.nextHistorySerial ?? 1;
        const purge = { op: 'purge', mode: 'before_serial', before_serial: Math.max(1, head - next(30)) };
        const { app_id, pub_id } = publishOf(channel);
        await write(store, [{ ...purge, app_id, pub_id, channel, reason: 'r' } as CommitRecord], nowMs);
      } else if (what < 30)
        await unlessTransient(() => store.purge({ nowMs, batch, receiptsKeptMs: 0, windowMs: 3 * DAY_MS }));
      else {
        const all = Array.from({ length: 1 + next(12) }, () => publishOf(channel, policy()));
        await write(store, all, nowMs);
      }
    };
    const pages: number[][] = [];
    const refused: unknown[] = [];
    const cursors: (string | null)[] = [null, null];
    const read = async (at: number): Promise<void> => {
      const direction = at === 0 ? 'newest_first' : 'oldest_first';
      const cursor = cursors[at] ?? null;
      const query = { direction, limit: '7', ...(cursor === null ? {} : { cursor }) };
      try {
        const { items, next_cursor } = await reader.page('shop', channel, readHistoryQuery(query, 7));
        const serials = items.map(({ serial }) => serial);
        pages.push(at === 0 ? serials.toReversed() : serials);
        cursors[at] = next_cursor;
      } catch (error) {
        // A cursor into removed rows.
        cursors[at] = null;
        const { code, message } = error as { code: string; message: string };
        if (code !== 'invalid_input') refused.push(message);
      }
    };
    for (let round = 0; round < ROUNDS; round += 1)
      await Promise.all([happen(), read(0), happen(), read(1), happen()]);
    const state = (await store.heads([address])).get(streamName(address))?.durable.state;
    return { pages, refused, claims, state };
  }

  it.each(SEEDS)('are whole, and nothing is claimed (%i)', async (seed) => {
    const { pages, refused, claims, state } = await storm(seed, FIXED);
    expect([claims, state]).toEqual([[], 'healthy']);
    expect(refused).toEqual([]);
    for (const serials of pages)
      expect(serials).toEqual(serials.map((_, index) => (serials[0] ?? 0) + index));
    expect(Math.max(...pages.map(({ length }) => length))).toBe(7);
  });

  it.each(SEEDS)('are given though policies change, and no claim holds (%i)', async (seed) => {
    const { pages, refused, claims, state } = await storm(seed, CHANGING);
    expect([claims.filter(([, extra]) => (extra as { changed: boolean }).changed), state]).toEqual([
      [],
      'healthy',
    ]);
    expect(refused).toEqual([]);
    for (const serials of pages)
      expect(serials).toEqual([...new Set(serials)].sort((one, other) => one - other));
  });
});
