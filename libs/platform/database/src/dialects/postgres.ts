import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import type { DataSourceOptions } from 'typeorm';
import {
  type Classify,
  DatabaseRejected,
  DatabaseUnavailable,
  type RejectedReason,
  type UnavailableReason,
} from '../failures.js';
import {
  ACQUIRE_TIMEOUT_MS,
  IDLE_TIMEOUT_MS,
  KEEPALIVE_MS,
  KEEPALIVE_PROBES,
  MIGRATION_TIMEOUT_MS,
  TRANSACTION_TIMEOUT_MS,
} from '../limits.js';
import type { SqlAnswer, SqlRow, SqlSession } from '../port.js';
import { settle } from '../migrations/settle.js';
import type { DatabaseTarget } from '../target.js';
import type { Dialect, Statement } from './dialect.js';

function options(target: DatabaseTarget): DataSourceOptions {
  const { host, port, username, password, database, pool } = target;
  return {
    type: 'postgres',
    host,
    port,
    username,
    password: password.reveal(),
    database,
    connectTimeoutMS: ACQUIRE_TIMEOUT_MS,
    poolSize: pool.max,
    applicationName: target.client,
    installExtensions: false,
    // A broken idle connection leaves the pool; the next call opens another one.
    poolErrorHandler: () => {},
    extra: {
      min: pool.min,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEPALIVE_MS,
      // The embedded server takes one statement after another.
      pipeline: !isSocket(target),
    },
  };
}

/** A folder in place of a host: the server is reached over a socket in it. */
const isSocket = ({ host }: DatabaseTarget): boolean => host.startsWith('/');

/** Lets the server detect dead clients and release their locks. */
const KEEPALIVE = [
  `set tcp_keepalives_idle = ${KEEPALIVE_MS / 1000}`,
  `set tcp_keepalives_interval = ${KEEPALIVE_MS / 1000}`,
  `set tcp_keepalives_count = ${KEEPALIVE_PROBES}`,
];

/** Members of the client library used directly. */
interface Client {
  readonly pipeline?: boolean;
  readonly connection?: { readonly stream?: Socket };
  query(statement: {
    /** The statement is kept with the connection under it. */
    readonly name?: string;
    readonly text: string;
    readonly values: unknown[];
  }): Promise<ClientAnswer | readonly ClientAnswer[]>;
}

interface ClientAnswer {
  /** Command tag, as in `INSERT`. */
  readonly command?: string;
  readonly rows: SqlRow[] | undefined;
  readonly rowCount: number | null;
}

/** Prepared-statement names by text; beyond this number they are reassigned. */
const MAX_NAMES = 200;
const names = new Map<string, string>();

function nameOf(sql: string): string {
  const known = names.get(sql);
  if (known !== undefined) return known;
  if (names.size >= MAX_NAMES) names.clear();
  const name = createHash('sha256').update(sql).digest('hex').slice(0, 40);
  names.set(sql, name);
  return name;
}

/** Sockets whose writes are held back until the end of the turn. */
const corked = new WeakSet<Socket>();

/** The statements of one turn of the event loop leave in one piece: writing each costs both sides more than running it. */
function leaveTogether({ pipeline, connection }: Client): void {
  const socket = connection?.stream;
  if (pipeline !== true || socket === undefined || corked.has(socket)) return;
  corked.add(socket);
  socket.cork();
  process.nextTick(() => {
    corked.delete(socket);
    socket.uncork();
  });
}

/** Sends a statement; of several in one text, the last result is returned. */
async function send(connection: unknown, { sql: text, values, again }: Statement): Promise<SqlAnswer> {
  leaveTogether(connection as Client);
  const name = again ? { name: nameOf(text) } : {};
  const answer = await (connection as Client).query({ ...name, text, values: [...values] });
  const last = [answer].flat().at(-1);
  if (text === 'commit' && last?.command === 'ROLLBACK')
    throw new DatabaseRejected('conflict', '40000', 'a statement of the transaction had failed');
  return { rows: last?.rows ?? [], changed: last?.rowCount ?? 0 };
}

/** By SQLSTATE, else by its class. */
const UNAVAILABLE: Readonly<Record<string, UnavailableReason>> = {
  '08': 'lost',
  '25006': 'refused',
  // The server has ended a transaction that stood still for too long, or took too long in all.
  '25P03': 'timeout',
  '25P04': 'timeout',
  '28': 'refused',
  '3D': 'refused',
  '53': 'refused',
  '57014': 'timeout',
  '57P': 'refused',
  '58': 'refused',
};

const REJECTED: Readonly<Record<string, RejectedReason>> = {
  '22': 'data',
  '23505': 'unique',
  '40': 'conflict',
  '55P03': 'conflict',
};

const lookUp = <Reason>(table: Readonly<Record<string, Reason>>, state: string): Reason | undefined =>
  table[state] ?? table[state.slice(0, 3)] ?? table[state.slice(0, 2)];

const classify: Classify = (error) => {
  const {
    code: state,
    message,
    severity,
  } = error as Partial<Record<'code' | 'message' | 'severity', string>>;
  // Only errors of the server have a severity.
  if (severity === undefined || state === undefined) {
    return new DatabaseUnavailable(
      /timeout/.test(message ?? '') ? 'timeout' : 'lost',
      message || state || 'lost',
    );
  }
  const unavailable = lookUp(UNAVAILABLE, state);
  if (unavailable !== undefined) return new DatabaseUnavailable(unavailable, `${message} (${state})`);
  // Texts of class 42 name tables, columns and roles; others may quote a value.
  return new DatabaseRejected(
    lookUp(REJECTED, state) ?? 'statement',
    state,
    state.startsWith('42') ? (message ?? null) : null,
  );
};

/** One lock for all migrations of a database; the key is this service's own. */
const LOCK_KEY = createHash('sha256').update('carillon migrations').digest().readBigInt64BE(0).toString();
const LOCK_WAIT_MS = 5000;

/** All or nothing: the lock ends with the transaction, also when this process dies. */
async function locked(session: SqlSession, _database: string, work: () => Promise<void>): Promise<void> {
  await session.query('begin');
  await session.query(`set local statement_timeout = ${MIGRATION_TIMEOUT_MS}`);
  await session.query(`set local idle_in_transaction_session_timeout = ${MIGRATION_TIMEOUT_MS}`);
  await session.query('select pg_advisory_xact_lock($1)', [LOCK_KEY]);
  // A busy table must not make all other statements queue behind its change.
  await session.query(`set local lock_timeout = ${LOCK_WAIT_MS}`);
  await work();
  await session.query('commit');
}

export const postgres: Dialect = {
  options,
  oldest: { PostgreSQL: [15, 0] },
  server: (text) => ({ name: 'PostgreSQL', version: /^PostgreSQL (\S+)/.exec(text)?.[1] ?? text }),
  sessionSetup: (target, { statementMs }) =>
    [
      `set statement_timeout = ${statementMs}`,
      `set idle_in_transaction_session_timeout = ${TRANSACTION_TIMEOUT_MS}`,
      `set timezone = 'UTC'`,
      ...(isSocket(target) ? [] : KEEPALIVE),
    ].join('; '),
  // Separate statements, so that an unparsable one does not prevent the transaction from being opened.
  opening: (setup) => ['start transaction', ...(setup === undefined ? [] : [setup])],
  send,
  pipelines: (connection) => (connection as Client).pipeline === true,
  discard: (connection) => void (connection as { end(): Promise<void> }).end().catch(() => undefined),
  classify,
  locked,
  // The embedded database belongs to one process, whose tables need no schema.
  settle: (session, target, tables) => settle(session, isSocket(target) ? null : target.client, tables),
};
