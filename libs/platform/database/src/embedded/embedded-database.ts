import { resolve } from 'node:path';
import { Secret } from '@carillon/config';
import type { Logger } from '@carillon/runtime';
import type { EntityManager } from 'typeorm';
import { postgres } from '../dialects/postgres.js';
import { DatabaseUnavailable } from '../failures.js';
import type { DatabaseLimits } from '../limits.js';
import type { MigratedListener } from '../migrations/migrate.js';
import { APPLICATION } from '../migrations/settle.js';
import type { Place, Tables } from '../migrations/tables.js';
import type { Database, SqlAnswer, SqlSession, SqlTransaction } from '../port.js';
import { SqlDatabase } from '../sql-database.js';
import { EngineTurns } from './engine-turns.js';
import { ServerProcess } from './server-process.js';
import { newSocketFolder } from './socket-folder.js';

/** Options of one user of the embedded database. */
export interface EmbeddedOptions {
  readonly tables: readonly Tables[];
  /** Statements for its connection, which all have. */
  readonly setup: readonly string[];
  readonly limits: DatabaseLimits;
  /** Calls of other users go first. */
  readonly isDeferrable: boolean;
}

interface Parts {
  readonly folder: string;
  readonly log: Logger;
  readonly onMigrated: MigratedListener;
  /** Called when its last user has closed it. */
  readonly onClosed: () => void;
}

/**
 * PostgreSQL of a single node with its server process: one connection over a private Unix socket, shared by all
 * users. Starts with the first user that connects and stops with the last that closes.
 */
export class EmbeddedDatabase {
  readonly #server: ServerProcess;
  readonly #socketFolder = newSocketFolder();
  readonly #users = new Set<EmbeddedOptions>();
  readonly #turns = new EngineTurns();
  #sql: SqlDatabase | null = null;
  #starting: Promise<SqlDatabase> | null = null;

  constructor(private readonly parts: Parts) {
    this.#server = new ServerProcess(resolve(parts.folder), this.#socketFolder, parts.log);
  }

  /** Must be called before any user connects, so that connection events are not missed. */
  use(options: EmbeddedOptions): Database {
    this.#users.add(options);
    this.#sql?.add(options.tables);
    const lane = { isDeferrable: options.isDeferrable, waiting: options.limits.calls };
    return new EmbeddedUse(
      () => this.#open(),
      () => this.#leave(options),
      (work) => this.#turns.run(lane, work),
    );
  }

  #open(): Promise<SqlDatabase> {
    this.#starting ??= this.#start().finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  async #start(): Promise<SqlDatabase> {
    await this.#server.start();
    this.#sql ??= this.#make([...this.#users]);
    await this.#sql.connect();
    return this.#sql;
  }

  #make(users: readonly EmbeddedOptions[]): SqlDatabase {
    const limits = {
      statementMs: Math.max(...users.map((one) => one.limits.statementMs)),
      calls: users.reduce((sum, one) => sum + one.limits.calls, 0),
    };
    const target = {
      dialect: 'postgres',
      host: this.#socketFolder,
      port: 5432,
      username: 'postgres',
      password: new Secret(''),
      database: 'postgres',
      pool: { min: 1, max: 1 },
      client: APPLICATION,
    } as const;
    const setup = users.flatMap((one) => one.setup);
    const sql = new SqlDatabase(target, postgres, this.parts.onMigrated, limits, setup);
    sql.add(users.flatMap((one) => one.tables));
    return sql;
  }

  async #leave(options: EmbeddedOptions): Promise<void> {
    this.#users.delete(options);
    if (this.#users.size > 0) return;
    this.parts.onClosed();
    await this.#starting?.catch(() => undefined);
    await this.#sql?.close();
    await this.#server.stop();
  }
}

/** Runs a call on the engine when it is its turn. */
type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** The shared database as seen by one user. */
class EmbeddedUse implements Database {
  readonly dialect = 'postgres';
  #sql: SqlDatabase | null = null;
  #closing: Promise<void> | null = null;

  constructor(
    private readonly open: () => Promise<SqlDatabase>,
    private readonly leave: () => Promise<void>,
    private readonly inTurn: InTurn,
  ) {}

  async connect(): Promise<void> {
    if (this.#closing !== null) throw new DatabaseUnavailable('closed', 'the database is closed');
    this.#sql = await this.open();
  }

  async query(...asked: Parameters<SqlSession['query']>): Promise<SqlAnswer> {
    return this.inTurn(() => this.#open.query(...asked));
  }

  async transaction<Result>(
    work: (session: SqlTransaction) => Promise<Result>,
    setup?: string,
  ): Promise<Result> {
    return this.inTurn(() => this.#open.transaction(work, setup));
  }

  place(name: string): Place {
    return this.#open.place(name);
  }

  async entities<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    return this.inTurn(() => this.#open.entities(work));
  }

  async health(): Promise<void> {
    await this.inTurn(() => this.#open.health());
  }

  close(): Promise<void> {
    this.#closing ??= this.leave();
    return this.#closing;
  }

  get #open(): SqlDatabase {
    if (this.#closing !== null) throw new DatabaseUnavailable('closed', 'the database is closed');
    if (this.#sql === null) throw new DatabaseUnavailable('lost', 'not connected yet');
    return this.#sql;
  }
}
