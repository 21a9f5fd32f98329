import { resolve } from 'node:path';
import { Secret } from '@carillon/config';
import type { Logger } from '@carillon/runtime';
import type { EntityManager } from 'typeorm';
import { postgres } from '../dialects/postgres.js';
import type { DatabaseLimits } from '../limits.js';
import { APPLICATION } from '../migrations/settle.js';
import type { Place, Tables } from '../migrations/tables.js';
import type { Database, SqlAnswer, SqlSession, SqlTransaction } from '../port.js';
import { type MigratedListener, SqlDatabase } from '../sql-database.js';
import { ServerProcess } from './server-process.js';
import { newSocketFolder } from './socket-folder.js';

export interface EmbeddedOptions {
  readonly log: Logger;
  readonly onMigrated: MigratedListener;
  readonly tables: readonly Tables[];
  readonly setup: readonly string[];
  readonly limits: DatabaseLimits;
}

/** The PostgreSQL of a single node, with its server: one connection over a socket that only this user can reach. */
export class EmbeddedDatabase implements Database {
  readonly dialect = 'postgres';
  readonly #server: ServerProcess;
  readonly #sql: SqlDatabase;

  constructor(
    folder: string,
    private readonly options: EmbeddedOptions,
  ) {
    const socketFolder = newSocketFolder();
    this.#server = new ServerProcess(resolve(folder), socketFolder, options.log);
    this.#sql = new SqlDatabase(
      {
        dialect: 'postgres',
        host: socketFolder,
        port: 5432,
        username: 'postgres',
        password: new Secret(''),
        database: 'postgres',
        pool: { min: 1, max: 1 },
        client: APPLICATION,
      },
      postgres,
      options.onMigrated,
      options.limits,
      options.setup,
    );
    this.#sql.add(options.tables);
  }

  async connect(): Promise<void> {
    await this.#server.start();
    await this.#sql.connect();
  }

  query(...asked: Parameters<SqlSession['query']>): Promise<SqlAnswer> {
    return this.#sql.query(...asked);
  }

  transaction<Result>(work: (session: SqlTransaction) => Promise<Result>, setup?: string): Promise<Result> {
    return this.#sql.transaction(work, setup);
  }

  place(name: string): Place {
    return this.#sql.place(name);
  }

  entities<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    return this.#sql.entities(work);
  }

  health(): Promise<void> {
    return this.#sql.health();
  }

  async close(): Promise<void> {
    await this.#sql.close();
    await this.#server.stop();
  }
}
