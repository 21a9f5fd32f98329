import type { SurrealSession } from '@carillon/surreal';
import type { Row } from '../../port.js';

/** Text that a commit throws when a condition does not hold. */
export const STALE = 'stale';

const COLUMNS = 'id, row_version, row_value, expires_at_ms';
const IS_VISIBLE = '(expires_at_ms = NULL OR expires_at_ms > $now)';

export const READ_ROWS = `SELECT ${COLUMNS} FROM $ids WHERE ${IS_VISIBLE}`;

/** Record ranges are scanned in the order of their ids. */
export const READ_RANGE = `SELECT ${COLUMNS} FROM $range WHERE ${IS_VISIBLE} LIMIT $limit`;

export const READ_RANGE_REVERSED = `SELECT ${COLUMNS} FROM $range WHERE ${IS_VISIBLE} ORDER BY id DESC LIMIT $limit`;

export const WRITE_ROWS = 'FOR $put IN $puts { UPSERT $put.id CONTENT $put.content; };';

export const DELETE_ROWS = 'FOR $id IN $ids { DELETE $id; };';

/**
 * One block is one transaction. The server detects conflicts between writes only, so every row of a condition or of a
 * delete is written, even if it does not exist and is not changed: otherwise two commits could each read rows that
 * the other writes, and both apply.
 */
export const COMMIT = `{
  FOR $condition IN $conditions {
    LET $row = (SELECT row_version, expires_at_ms, touched FROM ONLY $condition.id);
    LET $exists = $row != NONE AND ($row.expires_at_ms = NULL OR $row.expires_at_ms > $now);
    LET $version = IF $exists { $row.row_version } ELSE { NULL };
    IF $version != $condition.version { THROW '${STALE}'; };
    IF $condition.touch {
      IF $row = NONE { UPSERT $condition.id CONTENT {}; DELETE $condition.id; }
      ELSE { UPDATE $condition.id SET touched = ($row.touched ?? 0) + 1; };
    };
  };
  FOR $id IN $deletes { UPSERT $id CONTENT {}; DELETE $id; };
  FOR $put IN $puts { UPSERT $put.id CONTENT $put.content; };
}`;

/** Returns the statements that create a table, unless it exists. */
export const tableStatements = (table: string): string => `
  DEFINE TABLE IF NOT EXISTS ${table} SCHEMALESS;
  DEFINE INDEX IF NOT EXISTS ${table}_expiry ON TABLE ${table} FIELDS expires_at_ms;`;

/** Returns the statement that deletes some expired rows and results in their number. */
export const purgeStatement = (table: string): string => `{
  LET $expired = (SELECT VALUE id FROM ${table} WHERE expires_at_ms > NULL AND expires_at_ms <= $now LIMIT $limit);
  FOR $id IN $expired { DELETE $id; };
  RETURN count($expired);
}`;

/** Returns a row as the statements write it. */
export const recordOf = (session: SurrealSession, table: string, row: Row) => ({
  id: session.recordId(table, [row.partition, row.sort]),
  content: { row_version: row.version, row_value: row.value, expires_at_ms: row.expiresAtMs },
});

/** A row as the statements read it. */
export interface RowRecord {
  readonly id: { readonly id: unknown };
  readonly row_version: number;
  readonly row_value: string;
  readonly expires_at_ms: number | null;
}

export function rowOf({ id, row_version, row_value, expires_at_ms }: RowRecord): Row {
  const [partition, sort] = id.id as [string, string];
  return { partition, sort, version: row_version, value: row_value, expiresAtMs: expires_at_ms };
}
