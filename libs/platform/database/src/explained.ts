import type { Database, SqlSession, SqlValue } from './port.js';

interface Node {
  readonly 'Node Type': string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly Node[];
}

/** Returns the rows that the scans of a plan have read from tables. */
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
  /** Returns the statements since the previous call, each with the rows that it has read. */
  taken(): readonly { readonly sql: string; readonly rows: number }[];
}

/** Statements that PostgreSQL can explain. */
const EXPLAINABLE = /^\s*(?:select|insert|update|delete|with)\b/i;

/**
 * Wraps a PostgreSQL database for tests of query plans: runs `explain analyze` before each statement and rolls its changes
 * back. A test asserts on rows read, which do not depend on the load of the machine.
 */
export function explained(database: Database): Explained {
  let found: { readonly sql: string; readonly rows: number }[] = [];
  const explain = async (session: SqlSession, sql: string, values: readonly SqlValue[]): Promise<void> => {
    if (!EXPLAINABLE.test(sql)) return;
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
    database.transaction((session) => {
      // Statements of one transaction may be requested concurrently; each runs right behind its explanation.
      let tail: Promise<unknown> = Promise.resolve();
      return work({
        last: () => {},
        query: (sql, values = [], how) => {
          const answer = tail.then(async () => {
            await explain(session, sql, values);
            return session.query(sql, values, how);
          });
          tail = answer.catch(() => undefined);
          return answer;
        },
      });
    }, setup);
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
