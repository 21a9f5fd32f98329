import type { Connection, RowDataPacket } from 'mysql2/promise';
import { networkReason } from '../api/request-errors.js';
import { type DoctorContext, STEP_MS } from './context.js';
import { type Report, skip } from './result.js';
import { sqlUses } from './uses.js';

const REQUIRED: Readonly<Record<string, readonly [number, number]>> = { MySQL: [8, 0], MariaDB: [10, 11] };
const AFTER_LOGIN = ['mysql.version', 'mysql.durability', 'mysql.write'];
const DENIED = new Set(['ER_ACCESS_DENIED_ERROR', 'ER_DBACCESS_DENIED_ERROR', 'ER_BAD_DB_ERROR']);
const PROBE_BYTES = 65_536;

export async function checkMysql(context: DoctorContext, report: Report): Promise<void> {
  const { config } = context.loaded;
  if (sqlUses(config, 'mysql').length === 0) return;
  const { host, port, username, password, database } = config.database.mysql;
  const target = `${host}:${port}`;
  const { createConnection } = await import('mysql2/promise');
  let connection: Connection;
  try {
    connection = await createConnection({
      host,
      port,
      user: username,
      password: password.reveal(),
      database,
      connectTimeout: STEP_MS,
    });
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    const isDenied = DENIED.has(code);
    const [id, setting] = isDenied
      ? ['mysql.login', 'database.mysql.password']
      : ['mysql.reach', 'database.mysql.port'];
    report({
      id,
      status: 'error',
      target,
      setting,
      message: isDenied
        ? `MySQL at ${target} refuses user "${username}" (${code})`
        : `MySQL at ${target} cannot be reached: ${networkReason(error)}`,
      cure: isDenied
        ? 'correct database.mysql.username, database.mysql.password and database.mysql.database'
        : 'start the server, or correct database.mysql.host and database.mysql.port',
      facts: { user: username, errno: code },
    });
    return skip(report, id, isDenied ? AFTER_LOGIN : ['mysql.login', ...AFTER_LOGIN]);
  }
  report({ id: 'mysql.reach', status: 'ok', target, message: `${target} is reachable` });
  report({ id: 'mysql.login', status: 'ok', target, message: `user "${username}" is accepted` });
  try {
    await examine(connection, context, target, report);
  } finally {
    await connection.end().catch(() => undefined);
  }
}

async function examine(
  connection: Connection,
  { clock, loaded }: DoctorContext,
  target: string,
  report: Report,
): Promise<void> {
  const beforeMs = Date.now();
  const [rows] = await connection.query<RowDataPacket[]>({
    sql: 'select version() as version, unix_timestamp(now(6)) as now, @@innodb_flush_log_at_trx_commit as flush',
    timeout: STEP_MS,
  });
  const row: Readonly<Record<string, unknown>> = rows[0] ?? {};
  clock.compare('mysql', Number(row['now']) * 1000, beforeMs, Date.now());
  const version = String(row['version']).replace(/^5\.5\.5-/, '');
  const name = /mariadb/i.test(version) ? 'MariaDB' : 'MySQL';
  const [major, minor] = REQUIRED[name] ?? [0, 0];
  const [found = 0, foundMinor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  const isTooOld = found < major || (found === major && foundMinor < minor);
  report({
    id: 'mysql.version',
    status: isTooOld ? 'error' : 'ok',
    target,
    message: `${name} ${version}; ${major}.${minor} or newer is required`,
    ...(isTooOld ? { cure: `upgrade the server to ${name} ${major}.${minor} or newer` } : {}),
    facts: { found: version, required: `${major}.${minor}` },
  });
  const isDurable = Number(row['flush']) === 1;
  report({
    id: 'mysql.durability',
    status: isDurable ? 'ok' : loaded.config.mode === 'production' ? 'error' : 'warn',
    target,
    message: isDurable
      ? 'commits are durable'
      : `innodb_flush_log_at_trx_commit is ${String(row['flush'])}: a crash loses accepted messages`,
    ...(isDurable ? {} : { cure: 'set global innodb_flush_log_at_trx_commit = 1' }),
    facts: { settings: { innodb_flush_log_at_trx_commit: row['flush'] } },
  });
  await checkWrite(connection, target, report);
}

/** Tables cannot be created in a transaction of MySQL, so the probe is a temporary table of the connection. */
async function checkWrite(connection: Connection, target: string, report: Report): Promise<void> {
  try {
    await connection.query('create temporary table carillon_doctor_probe (content longtext)');
    await connection.query(`insert into carillon_doctor_probe values (repeat('x', ${PROBE_BYTES}))`);
    report({ id: 'mysql.write', status: 'ok', target, message: 'the database accepts writes' });
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    const cure = 'check the free disk space of the server and whether it is read-only';
    report({
      id: 'mysql.write',
      status: 'error',
      target,
      message: `MySQL at ${target} refuses a write (${code})`,
      cure,
      facts: { errno: code },
    });
  }
}
