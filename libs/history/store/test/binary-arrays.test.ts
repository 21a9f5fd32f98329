import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FOREVER_MS, keepDay } from '../src/index.js';
import {
  arrayOf,
  BIGINT,
  BOOLEAN,
  binaryArray,
  DAY,
  HEX,
  INT,
  type ItemKind,
  JSONB,
  KEY,
  MOMENT,
  SMALLINT,
  TEXT,
  UTF8,
  UUID,
} from '../src/postgres/binary-arrays.js';
import { corner, openPostgres, type OpenedPostgres } from './scene.js';

const whole = (min: number, max: number) => fc.integer({ min, max });
/** PostgreSQL has no text with U+0000, and nothing of the kind gets as far as here. */
const text = fc.string({ unit: 'grapheme', maxLength: 40 }).map((value) => value.replaceAll('\0', ''));
const hex = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const LAST_MOMENT = '9223372036854775807';

/** A kind, sample values, and the server's text of an item with its expectation. */
interface Case<Value> {
  readonly kind: ItemKind<Value>;
  readonly values: fc.Arbitrary<Value>;
  readonly shown?: string;
  readonly expected: (value: Value) => string;
}

const shownAsText = <Value>(given: Omit<Case<Value>, 'shown'> & { readonly shown?: string }) => given;

const CASES = {
  bigint: shownAsText({ kind: BIGINT, values: fc.maxSafeInteger(), expected: String }),
  key: shownAsText({
    kind: KEY,
    values: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
    expected: String,
  }),
  moment: shownAsText({
    kind: MOMENT,
    values: fc.oneof(fc.constant(FOREVER_MS), whole(0, 2 ** 31)),
    expected: (value) => (value === FOREVER_MS ? LAST_MOMENT : String(value)),
  }),
  int: shownAsText({ kind: INT, values: whole(-(2 ** 31), 2 ** 31 - 1), expected: String }),
  smallint: shownAsText({ kind: SMALLINT, values: whole(-(2 ** 15), 2 ** 15 - 1), expected: String }),
  boolean: shownAsText({ kind: BOOLEAN, values: fc.boolean(), expected: String }),
  text: shownAsText({ kind: TEXT, values: text, expected: String }),
  utf8: shownAsText({ kind: UTF8, values: text, shown: `convert_from(v, 'UTF8')`, expected: String }),
  hex: shownAsText({ kind: HEX, values: hex, shown: `encode(v, 'hex')`, expected: String }),
  uuid: shownAsText({
    kind: UUID,
    values: fc.uuid().chain((value) => fc.constantFrom(value, value.toUpperCase())),
    expected: (value) => value.toLowerCase(),
  }),
  jsonb: shownAsText({ kind: JSONB, values: text.map((value) => JSON.stringify(value)), expected: String }),
  day: shownAsText({
    kind: DAY,
    values: fc.oneof(fc.constant(FOREVER_MS), whole(0, Date.UTC(9999, 11, 31))),
    expected: keepDay,
  }),
} as const;

describe('arrays in binary form', () => {
  let end: () => Promise<void>;
  let opened: OpenedPostgres;
  beforeAll(async () => {
    let url: string;
    ({ url, end } = await corner());
    opened = await openPostgres(url);
  });
  afterAll(async () => {
    await opened.close();
    await end();
  });

  async function readBack(array: Buffer, type: string, shown = 'v::text'): Promise<unknown[]> {
    const { rows } = await opened.database.query(
      `select ${shown} as shown from unnest($1::${type}[]) with ordinality as u(v, place) order by place`,
      [array],
    );
    return rows.map((row) => row['shown']);
  }

  const holds = <Value>({ kind, values, shown, expected }: Case<Value>): Promise<void> =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.option(values), { maxLength: 30 }), async (items) => {
        const array = binaryArray(kind, items, (value) => value);
        expect(await readBack(array, kind.type, shown)).toEqual(
          items.map((value) => (value === null ? null : expected(value))),
        );
      }),
      { numRuns: 50 },
    );

  it.each(Object.keys(CASES) as (keyof typeof CASES)[])(
    'come to the server as they are: %s',
    (name) => holds(CASES[name] as Case<unknown>),
    30_000,
  );

  it('may be empty', async () => {
    expect(await readBack(arrayOf(TEXT, []), 'text')).toEqual([]);
  });
});
