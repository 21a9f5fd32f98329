import type { SqlSession } from '@carillon/database';

/** Returns the server settings that risk the loss of committed data, as in `fsync is off`. */
export async function readUnsafeSettings(session: SqlSession): Promise<string[]> {
  const { rows } = await session.query(
    `select name from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes')
      and setting = 'off' order by name`,
  );
  return rows.map((row) => `${String(row['name'])} is off`);
}
