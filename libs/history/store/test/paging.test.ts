import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPage } from '../src/sql/read.js';
import {
  addressOf,
  append,
  corner,
  DAY_MS,
  headOf,
  NOW_MS,
  openPostgres,
  type OpenedPostgres,
} from './scene.js';

const ROWS = 20_000;

describe('paging through a long history', () => {
  let end: () => Promise<void>;
  let opened: OpenedPostgres;
  beforeAll(async () => {
    let url: string;
    ({ url, end } = await corner());
    opened = await openPostgres(url);
    const address = addressOf('long');
    await append(opened.store, address, [{ keepUntilMs: NOW_MS + 2 * DAY_MS }, {}]);
    const { streamKey } = await headOf(opened.store, address);
    // The day of each row by turns: pages are put together from several parts.
    await opened.database.query(
      `insert into service_history_records (stream_key, generation, delivery_serial, history_serial, published_at_ms,
          history_until_ms, keep_until_ms, keep_day, action, payload, payload_size)
        select $1, 1, n, n, $2::bigint + n, $2::bigint + ${DAY_MS}, $2::bigint + ${DAY_MS},
            date '2026-03-06' + (n % 2)::int, 0, '{}', 2 from generate_series(3, ${ROWS}) n`,
      [streamKey, NOW_MS],
    );
    await opened.database.query(
      `update service_history_streams set next_history_serial = $2::bigint + 1, next_delivery_serial = $2::bigint + 1,
        retained_messages = $2 where stream_key = $1`,
      [streamKey, ROWS],
    );
  });
  afterAll(async () => {
    await opened.close();
    await end();
  });

  it('reads no more rows of a page in the middle or at the end than of the first', async () => {
    const stream = await headOf(opened.store, addressOf('long'));
    const read: number[] = [];
    const explaining: typeof opened.database.query = async (sql, values) => {
      const { rows } = await opened.database.query(`explain (analyze, format json) ${sql}`, values);
      read.push(rowsRead(rows[0]?.['QUERY PLAN']));
      return opened.database.query(sql, values);
    };
    const pages = [
      { newestFirst: true },
      { newestFirst: true, toSerial: ROWS / 2 },
      { newestFirst: true, toSerial: 60 },
      { newestFirst: false },
      { newestFirst: false, fromSerial: ROWS / 2 },
      { newestFirst: false, fromSerial: ROWS - 60 },
    ];
    for (const page of pages) {
      const rows = await readPage({ query: explaining }, (name) => `service_history_${name}`, {
        stream,
        nowMs: NOW_MS,
        fromSerial: null,
        toSerial: null,
        fromMs: null,
        toMs: null,
        limit: 51,
        ...page,
      });
      expect(rows).toHaveLength(51);
    }
    // A row of look-ahead for every part.
    expect(Math.max(...read)).toBeLessThan(70);
  });

  it.each([
    ['from a time on', { fromMs: NOW_MS + 7000 }, 7000, 7050],
    ['up to a time', { toMs: NOW_MS + 7000, newestFirst: true }, 7000, 6950],
    ['between two times', { fromMs: NOW_MS + 12_345, toMs: NOW_MS + 12_395 }, 12_345, 12_395],
    ['before all of it', { fromMs: NOW_MS - 9 }, 1, 51],
  ])('finds what was published %s', async (_name, bounds, first, last) => {
    const serials = (
      await opened.store.page({
        stream: await headOf(opened.store, addressOf('long')),
        nowMs: NOW_MS,
        newestFirst: false,
        fromSerial: null,
        toSerial: null,
        fromMs: null,
        toMs: null,
        limit: 51,
        ...bounds,
      })
    ).map(({ historySerial }) => historySerial);
    expect([serials.length, serials[0], serials.at(-1)]).toEqual([51, first, last]);
  });
});

interface Plan {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/** Returns the number of rows read by the scans of a plan. */
function rowsRead(plans: unknown): number {
  const sum = (plan: Plan): number =>
    (plan.Plans ?? []).reduce((total, inner) => total + sum(inner), 0) +
    (plan['Node Type'].includes('Scan') ? plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) : 0);
  return (plans as readonly { readonly Plan: Plan }[]).reduce((total, { Plan: top }) => total + sum(top), 0);
}
