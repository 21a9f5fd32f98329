import type { Config } from '@carillon/config';
import type { Client } from 'pg';
import { networkReason } from '../api/request-errors.js';
import { type DoctorContext, STEP_MS } from './context.js';
import { type CheckResult, type Report, skip } from './result.js';
import { sqlUses } from './uses.js';

const REQUIRED = 15;
const PROBE_BYTES = 65_536;
const DISK_FULL = '53100';
const SCHEMA = 'service';
const AFTER_LOGIN = ['postgres.version', 'postgres.durability', 'postgres.privileges', 'postgres.write'];

export async function checkPostgres(context: DoctorContext, report: Report): Promise<void> {
  const { config } = context.loaded;
  const { postgres } = config.database;
  const uses = sqlUses(config, 'postgres');
  if (uses.length === 0 || postgres.embedded) return;
  const host = postgres.host ?? 'localhost';
  const target = `${host}:${postgres.port}`;
  const library = await import('pg');
  const client = new library.Client({
    host,
    port: postgres.port,
    user: postgres.username,
    password: postgres.password.reveal(),
    database: postgres.database,
    connectionTimeoutMillis: STEP_MS,
    query_timeout: STEP_MS,
    application_name: 'carillon doctor',
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    return notConnected(error, target, postgres, report);
  }
  report({ id: 'postgres.reach', status: 'ok', target, message: `${target} is reachable` });
  report({ id: 'postgres.login', status: 'ok', target, message: `user "${postgres.username}" is accepted` });
  try {
    await examine(client, context, target, report);
  } catch (error) {
    const { code = 'unknown', message } = error as NodeJS.ErrnoException;
    report({ id: 'postgres.reach', status: 'error', target, message: `${target}: ${message} (${code})` });
  } finally {
    await client.end().catch(() => undefined);
  }
}

function notConnected(
  error: unknown,
  target: string,
  postgres: Config['database']['postgres'],
  report: Report,
): void {
  const { code, message, severity } = error as NodeJS.ErrnoException & { readonly severity?: string };
  const [host, port] = [postgres.host ?? 'localhost', postgres.port];
  if (severity === undefined && !/password|SASL|SCRAM/i.test(message)) {
    report({
      id: 'postgres.reach',
      status: 'error',
      target,
      setting: 'database.postgres.port',
      message: `PostgreSQL at ${target} cannot be reached: ${/timeout/i.test(message) ? 'no answer' : networkReason(error)}`,
      cure: 'start the server, or correct database.postgres.host and database.postgres.port',
      facts: { host, port, errno: code ?? null },
    });
    return skip(report, 'postgres.reach', ['postgres.login', ...AFTER_LOGIN]);
  }
  report({ id: 'postgres.reach', status: 'ok', target, message: `${target} is reachable` });
  if (code === DISK_FULL) {
    report(diskFull(target, postgres.database));
    return;
  }
  const isUnknownDatabase = code === '3D000';
  report({
    id: 'postgres.login',
    status: 'error',
    target,
    setting: isUnknownDatabase ? 'database.postgres.database' : 'database.postgres.password',
    message: isUnknownDatabase
      ? `database "${postgres.database}" does not exist at ${target}`
      : `PostgreSQL at ${target} refuses user "${postgres.username}" (${code ?? message})`,
    cure: isUnknownDatabase
      ? `create database "${postgres.database}"; or correct database.postgres.database`
      : 'correct database.postgres.username and database.postgres.password',
    facts: { user: postgres.username, sqlstate: code ?? null },
  });
  skip(report, 'postgres.login', AFTER_LOGIN);
}

async function examine(
  client: Client,
  { clock, loaded }: DoctorContext,
  target: string,
  report: Report,
): Promise<void> {
  const { postgres } = loaded.config.database;
  const beforeMs = Date.now();
  const { rows } = await client.query(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
       extract(epoch from clock_timestamp())::float8 as now, current_setting('fsync') as fsync,
       current_setting('synchronous_commit') as synchronous_commit, current_setting('full_page_writes') as full_page_writes`,
  );
  const [row = {}] = rows;
  clock.compare('postgres', Number(row['now']) * 1000, beforeMs, Date.now());
  report(versionOf(row, target));
  report(durabilityOf(row, target, loaded.config));
  const privileges = await privilegesOf(client, postgres, target);
  report(privileges);
  if (privileges.status === 'error') return skip(report, 'postgres.privileges', ['postgres.write']);
  report(await writeOf(client, postgres.database, target));
}

function versionOf(row: Readonly<Record<string, unknown>>, target: string): CheckResult {
  const major = Math.floor(Number(row['number']) / 10_000);
  const found =
    major === Number.parseInt(String(row['version']), 10) ? String(row['version']) : String(major);
  const isTooOld = major < REQUIRED;
  return {
    id: 'postgres.version',
    status: isTooOld ? 'error' : 'ok',
    target,
    message: `PostgreSQL ${found}; ${REQUIRED} or newer is required`,
    ...(isTooOld ? { cure: `upgrade the server to PostgreSQL ${REQUIRED} or newer` } : {}),
    facts: { found, required: String(REQUIRED) },
  };
}

function durabilityOf(row: Readonly<Record<string, unknown>>, target: string, config: Config): CheckResult {
  const names = ['fsync', 'synchronous_commit', 'full_page_writes'] as const;
  const settings = Object.fromEntries(names.map((name) => [name, row[name]]));
  const off = names.filter((name) => row[name] === 'off');
  const bad = config.mode === 'production' ? 'error' : 'warn';
  return {
    id: 'postgres.durability',
    status: off.length === 0 ? 'ok' : bad,
    target,
    message:
      off.length === 0 ? 'commits are durable' : `${off.join(', ')} off: a crash loses accepted messages`,
    ...(off.length === 0
      ? {}
      : {
          cure: `${off.map((name) => `alter system set ${name} = on`).join('; ')}; then restart the server`,
        }),
    facts: { settings },
  };
}

/** Tables are created in the schema of the service if the role may have it, otherwise on the search path. */
async function privilegesOf(
  client: Client,
  postgres: Config['database']['postgres'],
  target: string,
): Promise<CheckResult> {
  const { rows } = await client.query(
    `select has_database_privilege(current_database(), 'create') as can_create_schema,
       (select has_schema_privilege(oid, 'create') and has_schema_privilege(oid, 'usage') from pg_namespace where nspname = $1) as can_use_schema,
       (select bool_or(has_schema_privilege(name, 'create')) from unnest(current_schemas(false)) as s (name)) as can_use_path,
       (select count(*)::int from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relkind in ('r', 'p')) as tables,
       (select string_agg(c.relname, ', ') from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = $1 and c.relkind in ('r', 'p') and not has_table_privilege(c.oid, 'select, insert, update, delete')) as denied`,
    [SCHEMA],
  );
  const [row = {}] = rows;
  const role = postgres.username;
  const about = { id: 'postgres.privileges', target, setting: 'database.postgres.username' };
  const facts = { role, database: postgres.database, schema: SCHEMA };
  const denied = row['denied'];
  if (typeof denied === 'string')
    return {
      ...about,
      status: 'error',
      message: `role "${role}" may not read and write the tables ${denied}`,
      cure: `grant select, insert, update, delete on all tables in schema ${SCHEMA} to "${role}"`,
      facts: { ...facts, missing: 'SELECT, INSERT, UPDATE, DELETE' },
    };
  const canCreate =
    row['can_use_schema'] === true ||
    (row['can_use_schema'] === null && row['can_create_schema'] === true) ||
    row['can_use_path'] === true;
  if (canCreate || Number(row['tables']) > 0)
    return { ...about, status: 'ok', message: `role "${role}" has the rights it needs`, facts };
  return {
    ...about,
    status: 'error',
    message: `role "${role}" lacks CREATE on database "${postgres.database}", and the tables of the service are missing`,
    cure: `create schema ${SCHEMA} authorization "${role}"; or: grant create on database "${postgres.database}" to "${role}"`,
    facts: { ...facts, missing: 'CREATE' },
  };
}

/** Writes a table in a transaction that is rolled back. */
async function writeOf(client: Client, database: string, target: string): Promise<CheckResult> {
  const { rows } = await client.query(
    `select coalesce((select nspname from pg_namespace where nspname = $1 and has_schema_privilege(oid, 'create')),
       (select name from unnest(current_schemas(false)) as s (name) where has_schema_privilege(name, 'create') limit 1)) as place`,
    [SCHEMA],
  );
  const place = rows[0]?.['place'];
  try {
    await client.query('begin');
    if (place === null || place === undefined) await client.query(`create schema ${SCHEMA}`);
    const table = `"${((place ?? SCHEMA) as string).replaceAll('"', '""')}".carillon_doctor_probe`;
    await client.query(`create table ${table} (content text)`);
    await client.query(`alter table ${table} alter column content set storage external`);
    await client.query(`insert into ${table} select repeat('x', ${PROBE_BYTES})`);
    return { id: 'postgres.write', status: 'ok', target, message: `database "${database}" accepts writes` };
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    if (code === DISK_FULL) return diskFull(target, database);
    // Without the right to create tables, existing ones are used.
    if (code === '42501')
      return {
        id: 'postgres.write',
        status: 'ok',
        target,
        message: 'tables exist; no probe table may be created',
      };
    return {
      id: 'postgres.write',
      status: 'error',
      target,
      message: `database "${database}" at ${target} refuses a write (${code})`,
      cure: 'check whether the server is read-only or a standby',
      facts: { sqlstate: code },
    };
  } finally {
    await client.query('rollback').catch(() => undefined);
  }
}

const diskFull = (target: string, database: string): CheckResult => ({
  id: 'postgres.write',
  status: 'error',
  target,
  message: `the disk of database "${database}" at ${target} is full: no space left (${DISK_FULL})`,
  cure: 'free disk space on the database server',
  facts: { sqlstate: DISK_FULL },
});
