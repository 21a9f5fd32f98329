import type { Migration, SqlDialect } from '@carillon/database';
import type { Table } from './table.js';
import * as tables from './tables.js';

/** Every table of the room. */
const ALL: readonly Pick<Table<object>, 'create'>[] = Object.values(tables);

/** The form of the tables that this version knows. */
export const SCHEMA_VERSION = 1;

const VERSION_TABLE = 'push_schema_version';

/** Makes the tables; the version is written last. Refuses those of another version. */
export function pushTables(dialect: SqlDialect): Migration {
  const place = dialect === 'postgres' ? 'current_schema()' : 'database()';
  return {
    name: 'push',
    async missing(session) {
      const { rows } = await session.query(
        `select 1 from information_schema.tables where table_schema = ${place} and table_name = '${VERSION_TABLE}'`,
      );
      if (rows.length > 0) {
        const stored = await session.query(`select version from ${VERSION_TABLE}`);
        const version = Number(stored.rows[0]?.['version'] ?? Number.NaN);
        if (version === SCHEMA_VERSION) return [];
        if (stored.rows.length > 0) {
          throw new Error(`push tables are of version ${version}, this build needs ${SCHEMA_VERSION}`);
        }
      }
      return [
        ...ALL.flatMap((table) => table.create(dialect)),
        `create table if not exists ${VERSION_TABLE} (version int not null primary key, applied_ms bigint not null)`,
        `insert into ${VERSION_TABLE} values (${SCHEMA_VERSION}, ${Date.now()})`,
      ];
    },
  };
}
