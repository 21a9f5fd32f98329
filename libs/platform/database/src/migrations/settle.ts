import type { SqlSession } from '../port.js';
import { type Owned, placed, type Settled, type Tables } from './tables.js';

/** The schema that has all tables of the service where the role may have one. */
const SCHEMA = 'service';

/** Prefix of the application name of connections; each process appends its own. */
export const APPLICATION = 'carillon';

/**
 * Determines the schema of each package's tables: the schema of the service if they are there; else the one in which
 * they were created before it existed, unless they can be moved; else, in a new database, the schema of the service
 * if the role may create it. Tables are moved in the caller's transaction, and only while no other process of the
 * service is connected, since it would look for them in the old schema. `self`: application name of this process;
 * null: the database is private, and tables are not moved.
 */
export async function settle(
  session: SqlSession,
  self: string | null,
  tables: readonly Tables[],
): Promise<ReadonlyMap<string, Settled>> {
  const { isUsable, isOurs } = self === null ? NOT_OURS : await readSchema(session);
  const places = new Map<string, Settled>();
  for (const { name, owned } of tables) {
    const [first = ''] = owned.tables;
    if (isUsable && (await isThere(session, placed(SCHEMA, first)))) {
      places.set(name, { place: SCHEMA, areThere: true });
    } else if (await isThere(session, placed(null, first))) {
      const moves = isOurs && (await isWhole(session, owned)) && (await isAlone(session, self ?? ''));
      if (moves) await move(session, owned);
      places.set(name, { place: moves ? SCHEMA : null, areThere: true });
    } else {
      places.set(name, { place: isOurs ? SCHEMA : null, areThere: false });
    }
  }
  return places;
}

const NOT_OURS = { isUsable: false, isOurs: false };

/** Whether tables can be looked for in the schema, and made in it. It is made where the role may. */
async function readSchema(
  session: SqlSession,
): Promise<{ readonly isUsable: boolean; readonly isOurs: boolean }> {
  const { rows } = await session.query(
    `select has_schema_privilege(oid, 'usage') as usable, has_schema_privilege(oid, 'usage') and has_schema_privilege(oid, 'create') as ours
      from pg_namespace where nspname = $1`,
    [SCHEMA],
  );
  if (rows[0] !== undefined)
    return { isUsable: rows[0]['usable'] === true, isOurs: rows[0]['ours'] === true };
  const may = await session.query(`select has_database_privilege(current_database(), 'create') as may`);
  if (may.rows[0]?.['may'] !== true) return { isUsable: false, isOurs: false };
  await session.query(`create schema ${SCHEMA}`);
  return { isUsable: true, isOurs: true };
}

async function isThere(session: SqlSession, name: string): Promise<boolean> {
  const { rows } = await session.query('select to_regclass($1) is not null as there', [name]);
  return rows[0]?.['there'] === true;
}

async function isAlone(session: SqlSession, self: string): Promise<boolean> {
  const { rows } = await session.query(
    `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and (application_name = $1 or application_name like $1 || ' %') and application_name <> $2 limit 1`,
    [APPLICATION, self],
  );
  return rows.length === 0;
}

/** Whether this service made the tables. */
async function isWhole(session: SqlSession, { functions = [] }: Owned): Promise<boolean> {
  const { rows } = await session.query(
    'select 1 from unnest($1::text[]) as f (name) where to_regprocedure(name) is null limit 1',
    [functions.map((name) => `${placed(null, name)}()`)],
  );
  return rows.length === 0;
}

/** Indexes and the sequences of columns go with their tables, but parts do not. */
async function move(session: SqlSession, { tables, types = [], functions = [] }: Owned): Promise<void> {
  const { rows } = await session.query(
    `with root as (select to_regclass(name) as id from unnest($1::text[]) as t (name))
      select id::text as name from root where id is not null
        union select relid::text from root, lateral pg_partition_tree(id)`,
    [tables.map((name) => placed(null, name))],
  );
  const there = await session.query(
    'select name from unnest($1::text[]) as t (name) where to_regtype(name) is not null',
    [types.map((name) => placed(null, name))],
  );
  const moving = [
    ...rows.map(({ name }) => `table ${String(name)}`),
    ...there.rows.map(({ name }) => `type ${String(name)}`),
    ...functions.map((name) => `function ${placed(null, name)}()`),
  ];
  for (const one of moving) await session.query(`alter ${one} set schema ${SCHEMA}`);
}
