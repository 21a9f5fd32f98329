import type { Statement } from '@carillon/scylla';
import type { RangeQuery, Row, RowKey } from '../../port.js';

/** Condition of a write on one row. */
export type Expectation =
  /** No row, not even an expired one that the server has not deleted yet. */
  | { readonly kind: 'none' }
  | { readonly kind: 'version'; readonly version: bigint; readonly nowMs: number }
  /** Exactly this row, which is expired. */
  | { readonly kind: 'expired'; readonly version: bigint; readonly expiresAt: bigint };

/** Stored for rows that never expire, so that every comparison of `expires_at` is one of numbers. */
export const NEVER = BigInt(Number.MAX_SAFE_INTEGER);

/** The server deletes a row this long after its moment: readers with a slow clock still see it until then. */
const GRACE_SECONDS = 60;
/** Servers bound the time to live; rows that expire later than this are not deleted by the server. */
const MAX_TTL_SECONDS = 5 * 365 * 86_400;

export const createTable = (table: string): string => `CREATE TABLE IF NOT EXISTS ${table} (
  partition text,
  sort text,
  version bigint,
  value text,
  expires_at bigint,
  commit_id blob,
  guard boolean,
  PRIMARY KEY (partition, sort)
)`;

/** Writes a row. Null `commitId` for rows of index partitions. */
export function putRow(
  table: string,
  { partition, sort, version, value, expiresAtMs }: Row,
  nowMs: number,
  commitId: Buffer | null,
  expectation?: Expectation,
): Statement {
  const { condition, params } = conditionOf(expectation);
  const set = `version = ?, value = ?, expires_at = ?${commitId === null ? '' : ', commit_id = ?'}`;
  return {
    query: `UPDATE ${table} USING TTL ? SET ${set} WHERE partition = ? AND sort = ?${condition}`,
    params: [
      ttlOf(expiresAtMs, nowMs),
      BigInt(version),
      value,
      expiresAtMs === null ? NEVER : BigInt(Math.floor(expiresAtMs)),
      ...(commitId === null ? [] : [commitId]),
      partition,
      sort,
      ...params,
    ],
  };
}

export function deleteRow(table: string, { partition, sort }: RowKey, expectation?: Expectation): Statement {
  const { condition, params } = conditionOf(expectation);
  return {
    query: `DELETE FROM ${table} WHERE partition = ? AND sort = ?${condition}`,
    params: [partition, sort, ...params],
  };
}

/** Checks a row without a change: deletes a column that no statement ever writes. */
export function checkRow(table: string, { partition, sort }: RowKey, expectation: Expectation): Statement {
  const { condition, params } = conditionOf(expectation);
  return {
    query: `DELETE guard FROM ${table} WHERE partition = ? AND sort = ?${condition}`,
    params: [partition, sort, ...params],
  };
}

export const selectRows = (table: string, partition: string, sorts: readonly string[]): Statement => ({
  query: `SELECT partition, sort, version, value, expires_at FROM ${table} WHERE partition = ? AND sort IN ?`,
  params: [partition, [...sorts]],
});

/** Reads the columns that conditions compare. */
export const selectStates = (table: string, partition: string, sorts: readonly string[]): Statement => ({
  query: `SELECT sort, version, expires_at, commit_id FROM ${table} WHERE partition = ? AND sort IN ?`,
  params: [partition, [...sorts]],
});

export function selectRange(table: string, { partition, from, to, reverse }: RangeQuery): Statement {
  const bounds = `${from === null ? '' : ' AND sort >= ?'}${to === null ? '' : ' AND sort < ?'}`;
  const order = reverse ? ' ORDER BY sort DESC' : '';
  return {
    query: `SELECT partition, sort, version, value, expires_at FROM ${table} WHERE partition = ?${bounds}${order}`,
    params: [partition, ...(from === null ? [] : [from]), ...(to === null ? [] : [to])],
  };
}

function conditionOf(expectation: Expectation | undefined): { condition: string; params: unknown[] } {
  if (expectation === undefined) return { condition: '', params: [] };
  if (expectation.kind === 'none') return { condition: ' IF version = ?', params: [null] };
  if (expectation.kind === 'version') {
    const params = [expectation.version, BigInt(expectation.nowMs)];
    return { condition: ' IF version = ? AND expires_at > ?', params };
  }
  const params = [expectation.version, expectation.expiresAt];
  return { condition: ' IF version = ? AND expires_at = ?', params };
}

/** Seconds; 0 means that the server keeps the row. */
function ttlOf(expiresAtMs: number | null, nowMs: number): number {
  if (expiresAtMs === null) return 0;
  const seconds = Math.max(0, Math.ceil((expiresAtMs - nowMs) / 1000)) + GRACE_SECONDS;
  return seconds > MAX_TTL_SECONDS ? 0 : seconds;
}
