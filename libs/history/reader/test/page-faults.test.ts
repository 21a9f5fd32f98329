import { newStream, type PageQuery } from '@carillon/history-store';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Fault, faultsOf, type PageRow } from '../src/page-faults.js';

const STREAM = newStream({ appId: 'shop', channel: 'orders', kind: 'messages' }, '1', 's', 0);
const WINDOW_MS = 1000;

/** Rows are written a tick apart, each with its own time to live. */
const rowOf = (serial: number, windowMs = WINDOW_MS): PageRow => ({
  serial,
  atMs: serial * 10,
  untilMs: serial * 10 + windowMs,
});

const rowsOf = (...serials: number[]): PageRow[] => serials.map((serial) => rowOf(serial));

const askedFor = (more: Partial<PageQuery> = {}): PageQuery => ({
  stream: STREAM,
  nowMs: 500,
  newestFirst: false,
  fromSerial: 1,
  toSerial: null,
  fromMs: null,
  toMs: null,
  limit: 100,
  ...more,
});

const oldestAt = (serial: number) => ({ serial, publishedAtMs: serial * 10 });

interface Case {
  readonly asked?: Partial<PageQuery>;
  readonly head?: number;
  readonly oldest?: number | null;
}

/** Formats faults, as in `gap 2-3`. */
function faults(rows: readonly PageRow[], { asked = {}, head = 9, oldest = 1 }: Case = {}): string[] {
  const query = askedFor(asked);
  const known = { headSerial: head, oldest: oldest === null ? null : oldestAt(oldest) };
  return faultsOf(query.newestFirst ? rows.toReversed() : rows, query, known).map(asText);
}

const asText = ({ reason, fromSerial, toSerial }: Fault): string =>
  `${reason.slice('history_serial_'.length)} ${fromSerial}-${toSerial}`;

describe.each([false, true])('what is wrong with a page, newest first: %s', (newestFirst) => {
  const found = (rows: readonly PageRow[], { asked, ...more }: Case = {}) =>
    faults(rows, { asked: { newestFirst, ...asked }, ...more });
  const nine = [1, 2, 3, 4, 5, 6, 7, 8, 9];

  it('is nothing when every serial is there once', () => {
    expect(found(rowsOf(...nine))).toEqual([]);
    expect(found([], { head: 0, oldest: null })).toEqual([]);
    expect(found(rowsOf(...nine, 10, 11))).toEqual([]);
  });

  it('is what is missing between two rows', () => {
    expect(found(rowsOf(1, 2, 5, 6, 8, 9))).toEqual(['gap 3-4', 'gap 7-7']);
  });

  it('is a serial that two rows have', () => {
    expect(found(rowsOf(1, 2, 2, 3, 4, 5, 6, 7, 8, 9))).toEqual(['conflict 2-2']);
    expect(found(rowsOf(4, 4), { head: 4, oldest: null })).toEqual(['conflict 4-4']);
  });

  it('is what is missing at the ends, unless bounds of time cut them off', () => {
    expect(found(rowsOf(2, 3, 4, 5, 6, 7, 8))).toEqual(['gap 1-1', 'gap 9-9']);
    expect(found(rowsOf(2, 3, 4, 5, 6, 7, 8), { asked: { fromMs: 15, toMs: 85 } })).toEqual([]);
    expect(found(rowsOf(2, 3, 5), { asked: { fromMs: 15, toMs: 55 } })).toEqual(['gap 4-4']);
    expect(found(rowsOf(3, 4), { asked: { fromSerial: 2, toSerial: 5 } })).toEqual(['gap 2-2', 'gap 5-5']);
    expect(found([], { asked: { fromSerial: 5, toSerial: 6 } })).toEqual(['gap 5-6']);
    expect(found([], { asked: { fromMs: 5 } })).toEqual([]);
  });

  it('is nothing below the oldest row that is there still, or beyond the newest there was', () => {
    expect(found(rowsOf(4, 6, 7, 8, 9), { oldest: 6 })).toEqual([]);
    expect(found(rowsOf(1, 4, 5, 6, 7, 8, 9), { oldest: 3 })).toEqual(['gap 3-3']);
    expect(found(rowsOf(1, 3), { oldest: null })).toEqual([]);
    expect(found(rowsOf(1, 2), { head: 2, asked: { toSerial: 8 } })).toEqual([]);
  });

  it('is nothing that may be over under the shorter policy of the row above', () => {
    const short = rowOf(9, 450);
    expect(found([rowOf(1), rowOf(2), short])).toEqual([]);
    expect(found([rowOf(1), rowOf(2), rowOf(6), rowOf(8), short])).toEqual(['gap 3-5', 'gap 7-7']);
    // Rows written together with the lower one have not expired yet.
    expect(found([rowOf(1), rowOf(7), short], { oldest: 7 })).toEqual(['gap 8-8']);
  });
});

describe('a page that ends before the walk does', () => {
  it('begins where it must, and tells nothing of its other end', () => {
    const asked = { limit: 3 };
    expect(faults(rowsOf(1, 2, 3), { asked })).toEqual([]);
    expect(faults(rowsOf(2, 3, 4), { asked })).toEqual(['gap 1-1']);
    expect(faults(rowsOf(7, 8, 9), { asked: { ...asked, newestFirst: true } })).toEqual([]);
    expect(faults(rowsOf(6, 7, 8), { asked: { ...asked, newestFirst: true } })).toEqual(['gap 9-9']);
    // Behind a cursor.
    expect(faults(rowsOf(4, 5, 6), { asked: { ...asked, newestFirst: true, toSerial: 7 } })).toEqual([
      'gap 7-7',
    ]);
  });
});

/** A history, a query, and the lost rows. */
const scenario = fc.record({
  count: fc.integer({ min: 1, max: 30 }),
  nowMs: fc.integer({ min: 0, max: 2000 }),
  floor: fc.integer({ min: 1, max: 10 }),
  newestFirst: fc.boolean(),
  from: fc.option(fc.integer({ min: 1, max: 35 })),
  length: fc.option(fc.integer({ min: 0, max: 20 })),
  fromMs: fc.option(fc.integer({ min: 0, max: 320 })),
  toMs: fc.option(fc.integer({ min: 0, max: 320 })),
  limit: fc.integer({ min: 1, max: 12 }),
  lost: fc.integer({ min: 1, max: 30 }),
  /** Position and value of a policy change. */
  change: fc.record({ at: fc.integer({ min: 1, max: 31 }), windowMs: fc.integer({ min: 0, max: 1500 }) }),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never;

const within = (value: number, from: number | null, to: number | null) =>
  (from === null || value >= from) && (to === null || value <= to);

function read(of: Scenario, { isLost, isChanged }: { isLost: boolean; isChanged: boolean }) {
  const windowOf = (serial: number) => (isChanged && serial >= of.change.at ? of.change.windowMs : WINDOW_MS);
  const visible = Array.from({ length: of.count }, (_, index) => rowOf(index + 1, windowOf(index + 1)))
    .filter(({ serial, untilMs }) => serial >= of.floor && untilMs > of.nowMs)
    .filter(({ serial }) => !isLost || serial !== of.lost);
  const [oldest] = visible;
  const fromSerial = Math.max(oldest?.serial ?? of.count + 1, of.from ?? 0);
  const asked = askedFor({
    nowMs: of.nowMs,
    newestFirst: of.newestFirst,
    fromSerial,
    toSerial: of.from === null || of.length === null ? null : of.from + of.length,
    fromMs: of.fromMs,
    toMs: of.toMs,
    limit: of.limit,
  });
  const matching = visible.filter(
    ({ serial, atMs }) =>
      within(serial, asked.fromSerial, asked.toSerial) && within(atMs, asked.fromMs, asked.toMs),
  );
  const rows = (of.newestFirst ? matching.toReversed() : matching).slice(0, of.limit);
  const known = { headSerial: of.count, oldest: oldest === undefined ? null : oldestAt(oldest.serial) };
  return { rows, visible, faults: faultsOf(rows, asked, known) };
}

describe('the judgement of a page', () => {
  it('finds nothing wrong with what expires, is purged and cut off, under any one policy', () => {
    fc.assert(
      fc.property(scenario, (of) => {
        expect(read(of, { isLost: false, isChanged: false }).faults).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('finds nothing missing between rows when the policy changes once', () => {
    fc.assert(
      fc.property(scenario, (of) => {
        const { faults: found, rows } = read(of, { isLost: false, isChanged: true });
        const serials = rows.map(({ serial }) => serial);
        for (const { fromSerial } of found) {
          // Rows cannot prove gaps beyond the newest remaining one.
          expect(fromSerial).toBeGreaterThan(Math.max(0, ...serials));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('finds every row that is lost from between those of a page', () => {
    fc.assert(
      fc.property(scenario, (of) => {
        const { faults: found, rows, visible } = read(of, { isLost: true, isChanged: false });
        const serials = rows.map(({ serial }) => serial);
        const isBetween = of.lost > Math.min(...serials) && of.lost < Math.max(...serials);
        if (isBetween) expect(found.map(asText)).toContain(`gap ${of.lost}-${of.lost}`);
        for (const { fromSerial, toSerial } of found) {
          expect([fromSerial, toSerial]).toEqual([of.lost, of.lost]);
          expect(visible.map(({ serial }) => serial)).not.toContain(of.lost);
        }
      }),
      { numRuns: 500 },
    );
  });
});
