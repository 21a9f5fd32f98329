import { randomBytes } from 'node:crypto';
import type { Config } from '@carillon/config';
import type { Health, Logging, Shutdown, Startup } from '@carillon/runtime';
import type { Dialect } from './dialects/dialect.js';
import { mysql } from './dialects/mysql.js';
import { postgres } from './dialects/postgres.js';
import { EmbeddedDatabase } from './embedded/embedded-database.js';
import { partName } from './failures.js';
import type { MigratedListener } from './migrations/migrate.js';
import { APPLICATION } from './migrations/settle.js';
import type { Tables } from './migrations/tables.js';
import type { Database, SqlDialect } from './port.js';
import { isTooOld } from './server-version.js';
import { SqlDatabase } from './sql-database.js';
import { databaseTarget } from './target.js';

const DIALECTS: Readonly<Record<SqlDialect, Dialect>> = { mysql, postgres };

/** Options of a separate database. */
export interface ApartOptions {
  /** Absent: as many as the database is configured to have. */
  readonly connections?: number;
  /** Calls that may wait for a connection; more are refused at once. */
  readonly waiting: number;
  /** Longest run of one statement. */
  readonly statementMs: number;
  /** Statements that set up each of its connections; absent: none. */
  readonly setup?: readonly string[];
  readonly tables?: readonly Tables[];
}

/** Options of a use of the embedded database. */
export interface EmbeddedUseOptions extends Omit<ApartOptions, 'connections'> {
  /** Calls of other uses go first, except for one in nine: for reads that must not delay commits. Absent: no. */
  readonly isDeferrable?: boolean;
}

/** Dependencies of the databases. */
export interface DatabasesParts {
  readonly config: Config;
  readonly logging: Logging;
  readonly startup: Startup;
  readonly health: Health;
  readonly shutdown: Shutdown;
}

/** The databases of a process: one of each dialect, and only those that a room uses. */
export class Databases {
  readonly #open = new Map<SqlDialect, SqlDatabase>();
  #embedded: EmbeddedDatabase | null = null;
  /** Name by which the server distinguishes the connections of this process. */
  readonly #client = `${APPLICATION} ${randomBytes(4).toString('hex')}`;

  constructor(private readonly parts: DatabasesParts) {}

  /**
   * Returns the shared database of a dialect and registers the calling package's tables for migration. Called while
   * modules are created; the first call registers the database as a start-up dependency, in the health checks (whose
   * severity the users decide), and for closing at the stop.
   */
  use(dialect: SqlDialect, tables: readonly Tables[] = []): Database {
    const database = this.#open.get(dialect) ?? this.#make(dialect);
    database.add(tables);
    return database;
  }

  /**
   * Returns a separate database with its own connections and limits. The caller connects, checks and closes it.
   * Several of a process may migrate concurrently.
   */
  apart(dialect: SqlDialect, options: ApartOptions): Database {
    const target = databaseTarget(this.parts.config, dialect, this.#client);
    const pool = options.connections === undefined ? target.pool : { min: 0, max: options.connections };
    const database = new SqlDatabase(
      { ...target, pool },
      DIALECTS[dialect],
      this.#onMigrated(partName(dialect)),
      { statementMs: options.statementMs, calls: options.waiting + pool.max },
      options.setup,
    );
    database.add(options.tables ?? []);
    return database;
  }

  /**
   * The PostgreSQL that comes with this service, in `database.postgres.embedded_path`: a process of its own that starts
   * with the first `connect` and ends with the last `close`, or with this process. It has one connection, so calls take
   * turns, also those of other packages; deferrable ones wait behind all others. The first user, while modules are created,
   * connects, checks and closes it; the longest statement timeout of all users applies.
   */
  embedded(options: EmbeddedUseOptions): Database {
    const { config, logging } = this.parts;
    this.#embedded ??= new EmbeddedDatabase({
      folder: config.database.postgres.embedded_path,
      log: logging.for('service::database'),
      onMigrated: this.#onMigrated('embedded database'),
      onClosed: () => {
        this.#embedded = null;
      },
    });
    return this.#embedded.use({
      tables: options.tables ?? [],
      setup: options.setup ?? [],
      limits: { statementMs: options.statementMs, calls: options.waiting + 1 },
      isDeferrable: options.isDeferrable === true,
    });
  }

  #onMigrated(part: string): MigratedListener {
    const log = this.parts.logging.for('service::database');
    return (migration, wayBack) =>
      wayBack === null
        ? log.info('the schema was brought up to date', { part, migration })
        : log.warn('processes of older releases no longer start on these tables', {
            part,
            migration,
            way_back: wayBack,
          });
  }

  #make(dialect: SqlDialect): SqlDatabase {
    const { config, startup, health, shutdown } = this.parts;
    const part = partName(dialect);
    const database = new SqlDatabase(
      databaseTarget(config, dialect, this.#client),
      DIALECTS[dialect],
      this.#onMigrated(part),
    );
    this.#open.set(dialect, database);
    startup.needs({ name: part, connect: () => database.connect(), isFinal: isTooOld });
    health.register({ part, severity: 'non-critical', check: () => database.health() });
    shutdown.onShutdown('disconnect', part, () => database.close());
    return database;
  }
}
