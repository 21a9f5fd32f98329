import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { APART_MS, LongHistory, type Retention, serialIn, sumOf } from './long-history.js';
import { openEmbedded, openMemory, openMysql, openRecords, openPostgres, type Opened } from './stores.js';

/** `npm run proof` walks histories that are much longer. */
const TIMES = process.env['CARILLON_PROOF'] === 'true' ? 4 : 1;

/**
 * PostgreSQL reports touched blocks; its history is long enough that a scanning page shows, and longer than one
 * purge.
 */
const STORES = [
  { name: 'memory', open: openMemory, rows: 1000 * TIMES, limit: 50 },
  { name: 'records', open: openRecords, rows: 1000 * TIMES, limit: 50 },
  { name: 'postgres', open: openPostgres, rows: 5000 * TIMES, limit: 100 },
  { name: 'mariadb', open: openMysql, rows: 1000 * TIMES, limit: 50 },
  { name: 'embedded postgres', open: openEmbedded, rows: 1000 * TIMES, limit: 50 },
] as const;

/** Written between two pages. */
const RATE = 7;
const PURGED_AT_ONCE = 125 * TIMES;
const NEVER: Retention = { windowMs: 9e9, maxMessages: null, maxBytes: null };

describe.each(STORES)(
  'a long history in $name, written to and purged while it is read',
  ({ open, ...long }) => {
    let opened: Opened;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    const { rows, limit } = long;
    const RETENTIONS: readonly (readonly [string, Retention])[] = [
      ['nothing', NEVER],
      ['a number of messages', { ...NEVER, maxMessages: rows / 2 }],
      ['a number of bytes', { ...NEVER, maxBytes: sumOf(1, rows / 2) }],
      ['time', { ...NEVER, windowMs: (rows / 2) * APART_MS }],
    ];

    describe.each(RETENTIONS)('and limited by %s', (by, retention) => {
      it.each(['oldest_first', 'newest_first'])(
        'is walked %s without a gap, each page as cheap',
        async (direction) => {
          const history = new LongHistory(opened, `${by} ${direction}`, retention, rows);
          await history.purgeAll(PURGED_AT_ONCE);
          await history.write(rows);
          await history.page(direction, limit, null);
          await history.write(RATE);
          const step = direction === 'oldest_first' ? 1 : -1;
          const begun = { oldest: history.oldest, head: history.head };
          const serials: number[] = [];
          const blocks: number[] = [];
          let purged = 0;
          for (let cursor: string | null = null, more = true; more;) {
            opened.blocks();
            const page = await history.page(direction, limit, cursor);
            const touched = opened.blocks();
            if (touched !== null) blocks.push(touched);
            const { oldest, head } = history;
            expect(page.continuity).toMatchObject({
              oldest_available_serial: oldest,
              newest_available_serial: head,
              retained_messages: head - oldest + 1,
              retained_bytes: sumOf(oldest, head),
            });
            for (const { serial, message } of page.items) {
              expect(serialIn(message)).toBe(serial);
              serials.push(serial);
            }
            const [{ evicted }] = await Promise.all([history.purge(PURGED_AT_ONCE), history.write(RATE)]);
            purged += evicted.reduce((sum, { records }) => sum + records, 0);
            ({ next_cursor: cursor, has_more: more } = page);
            // Retention may have taken all that was left.
            more &&= direction === 'oldest_first' || (page.items.at(-1)?.serial ?? 0) >= history.oldest;
          }
          const [first, last] = [serials[0] ?? 0, serials.at(-1) ?? 0];
          expect(serials).toEqual(Array.from({ length: serials.length }, (_, index) => first + index * step));
          expect(first).toBe(direction === 'oldest_first' ? begun.oldest : begun.head);
          if (direction === 'oldest_first') expect(last).toBeGreaterThanOrEqual(begun.head);
          else expect(last).toBeLessThanOrEqual(history.oldest);
          expect(purged > 0).toBe(by !== 'nothing');
          expect(Math.max(0, ...blocks)).toBeLessThanOrEqual(1.5 * (blocks[0] ?? 0));
        },
      );
    });
  },
);
