import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BOOLEAN, INT, KEY, TEXT, UTF8 } from '../src/postgres/binary-arrays.js';
import { binaryRows, column } from '../src/postgres/binary-rows.js';
import { corner, openPostgres, type OpenedPostgres } from './scene.js';

interface Row {
  readonly key: string;
  readonly count: number | null;
  readonly name: string | null;
  readonly body: string | null;
  readonly isThere: boolean | null;
}

const COLUMNS = [
  column<Row, string>(KEY, ({ key }) => key),
  column<Row, number>(INT, ({ count }) => count),
  column<Row, string>(TEXT, ({ name }) => name),
  column<Row, string>(UTF8, ({ body }) => body),
  column<Row, boolean>(BOOLEAN, ({ isThere }) => isThere),
];

/** PostgreSQL has no text with U+0000, and nothing of the kind gets as far as here. */
const text = fc.string({ unit: 'grapheme', maxLength: 40 }).map((value) => value.replaceAll('\0', ''));
const rowOf: fc.Arbitrary<Row> = fc.record({
  key: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  count: fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  name: fc.option(text),
  body: fc.option(text),
  isThere: fc.option(fc.boolean()),
});

describe('rows in binary form', () => {
  let end: () => Promise<void>;
  let opened: OpenedPostgres;
  beforeAll(async () => {
    let url: string;
    ({ url, end } = await corner());
    opened = await openPostgres(url);
    await opened.database.query(
      'create type thing as (key bigint, count int, name text, body bytea, is_there boolean)',
    );
  });
  afterAll(async () => {
    await opened.close();
    await end();
  });

  async function readBack(array: Buffer): Promise<readonly unknown[]> {
    const { rows } = await opened.database.query(
      `select key, count, name, convert_from(body, 'UTF8') as body, is_there as "isThere"
        from unnest($1::thing[]) with ordinality as v(key, count, name, body, is_there, place) order by place`,
      [array],
    );
    return rows;
  }

  it('come to the server as they are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(rowOf, { maxLength: 30 }), async (rows) => {
        expect(await readBack(binaryRows(COLUMNS, rows))).toEqual(rows);
      }),
      { numRuns: 50 },
    );
  }, 30_000);
});
