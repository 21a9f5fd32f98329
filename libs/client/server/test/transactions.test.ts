import { describe, expect, it } from 'vitest';
import { publishInTransaction } from '../src/index.js';

interface Asked {
  readonly text: string;
  readonly values: readonly unknown[];
}

const EVENT = { app: 'shop', channel: 'orders', event: 'created', data: { id: 1 } };

/** A function that records statements and answers them with ids. */
function recorder(wrap: (rows: readonly object[]) => unknown) {
  const asked: Asked[] = [];
  let ids = 0;
  const query = async (text: string, values: readonly unknown[]): Promise<unknown> => {
    asked.push({ text, values });
    return wrap((values[1] as string[]).map(() => ({ id: `id-${(ids += 1)}` })));
  };
  return { asked, query };
}

describe('publishInTransaction', () => {
  it('uses one statement per run of one app and returns the ids in order with a pg client', async () => {
    const { asked, query } = recorder((rows) => ({ rows }));
    const events = [EVENT, { ...EVENT, data: ' {"a": 1} ' }, { ...EVENT, app: 'bank', data: undefined }];
    expect(await publishInTransaction({ query }, events, { schema: 'events' })).toEqual([
      'id-1',
      'id-2',
      'id-3',
    ]);
    expect(asked).toHaveLength(2);
    expect(asked[0]?.text).toContain('"events".publish(');
    expect(asked[0]?.values).toEqual([
      'shop',
      ['orders', 'orders'],
      ['created', 'created'],
      ['{"id":1}', ' {"a": 1} '],
      ['{}', '{}'],
    ]);
    expect(asked[1]?.values[3]).toEqual([null]);
  });

  it('accepts the rows of TypeORM', async () => {
    const { query } = recorder((rows) => rows);
    expect(await publishInTransaction({ query }, EVENT)).toEqual(['id-1']);
  });

  it('spreads the values for Prisma', async () => {
    const { asked, query } = recorder((rows) => rows);
    const prisma = { $queryRawUnsafe: (text: string, ...values: unknown[]) => query(text, values) };
    expect(await publishInTransaction(prisma, EVENT)).toEqual(['id-1']);
    expect(asked[0]?.values).toHaveLength(5);
  });

  it('passes arrays as text to Drizzle and needs its sql tag', async () => {
    const given: unknown[] = [];
    const sql = Object.assign(
      (strings: TemplateStringsArray, ...values: unknown[]) => given.push(strings.length, ...values),
      { raw: (text: string) => text },
    );
    const drizzle = { execute: async () => [{ id: 'id-1' }], rollback: () => {} };
    const event = { ...EVENT, data: 'a"b\\c' };
    expect(await publishInTransaction(drizzle, event, { sql })).toEqual(['id-1']);
    expect(given).toEqual([6, 'shop', '{"orders"}', '{"created"}', '{"a\\"b\\\\c"}', '{"{}"}']);
    await expect(publishInTransaction(drizzle, EVENT)).rejects.toThrow('needs the option sql');
  });

  it.each([
    ['pg.Pool', { query: () => {}, totalCount: 1 }],
    ['DataSource', { query: () => {}, createQueryRunner: () => {} }],
    ['PrismaClient', { $queryRawUnsafe: () => {}, $transaction: () => {} }],
    ['Object', {}],
  ])('throws a TypeError for %s', async (name, client) => {
    await expect(publishInTransaction(client, EVENT)).rejects.toThrow(
      new TypeError(`publishInTransaction needs the client of a transaction, got ${name}`),
    );
  });

  it('refuses a schema that would need escaping', async () => {
    await expect(publishInTransaction({ query: () => {} }, EVENT, { schema: 'a"b' })).rejects.toThrow(
      'invalid identifier',
    );
  });
});
