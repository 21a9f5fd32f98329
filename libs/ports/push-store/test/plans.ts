import type { Database, SqlSession, SqlValue } from '@carillon/database';

interface Node {
  readonly 'Node Type': string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly Node[];
}

/** Rows that the scans of a plan have read, those of the statement's own parameters left out. */
function rowsRead(node: Node): number {
  const loops = node['Actual Loops'] ?? 0;
  const isScan = /Scan/.test(node['Node Type']) && !/Function|CTE|Subquery/.test(node['Node Type']);
  const each =
    (node['Actual Rows'] ?? 0) +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0);
  return (isScan ? each * loops : 0) + (node.Plans ?? []).reduce((sum, one) => sum + rowsRead(one), 0);
}

export interface Explained {
  readonly database: Database;
  /** Statements since it was last asked for, with the rows that each has read. */
  taken(): readonly { readonly sql: string; readonly rows: number }[];
}

/** A database that explains each statement before it runs it; what the explanation changes is rolled back. */
export function explained(database: Database): Explained {
  let found: { readonly sql: string; readonly rows: number }[] = [];
  const explain = async (session: SqlSession, sql: string, values: readonly SqlValue[]): Promise<void> => {
    await session.query('savepoint explained');
    const { rows } = await session.query(`explain (analyze, format json, timing off) ${sql}`, values);
    await session.query('rollback to savepoint explained');
    const plan = rows[0]?.['QUERY PLAN'];
    const [{ Plan: node }] = (typeof plan === 'string' ? JSON.parse(plan) : plan) as [{ Plan: Node }];
    found.push({ sql, rows: rowsRead(node) });
  };
  const query: Database['query'] = async (sql, values = [], how) => {
    await database.transaction((session) => explain(session, sql, values));
    return database.query(sql, values, how);
  };
  const transaction: Database['transaction'] = (work, setup) =>
    database.transaction(
      (session) =>
        work({
          last: () => session.last(),
          query: async (sql, values = [], how) => {
            await explain(session, sql, values);
            return session.query(sql, values, how);
          },
        }),
      setup,
    );
  const wrapped = new Proxy(database, {
    get(target, name) {
      if (name === 'query') return query;
      if (name === 'transaction') return transaction;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return {
    database: wrapped,
    taken: () => {
      const all = found;
      found = [];
      return all;
    },
  };
}
