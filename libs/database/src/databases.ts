import type { Config } from '@carillon/config';
import type { Health, Logging, Shutdown, Startup } from '@carillon/runtime';
import type { Dialect } from './dialects/dialect.js';
import { mysql } from './dialects/mysql.js';
import { postgres } from './dialects/postgres.js';
import { partName } from './failures.js';
import type { Database, Migration, SqlDialect } from './port.js';
import { SqlDatabase } from './sql-database.js';
import { databaseTarget } from './target.js';

const DIALECTS: Readonly<Record<SqlDialect, Dialect>> = { mysql, postgres };

/** What the databases are tied to. */
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

  constructor(private readonly parts: DatabasesParts) {}

  /**
   * The one database of that dialect, with the tables of the calling room added to what is brought up to date. Called
   * while modules are made; the first call adds the database to what the process needs to start, to its health (how
   * much a failure matters is for the rooms that use it to say) and to what is closed at the stop.
   */
  use(dialect: SqlDialect, migrations: readonly Migration[] = []): Database {
    const database = this.#open.get(dialect) ?? this.#make(dialect);
    database.add(migrations);
    return database;
  }

  #make(dialect: SqlDialect): SqlDatabase {
    const { config, logging, startup, health, shutdown } = this.parts;
    const log = logging.for('service::database');
    const part = partName(dialect);
    const database = new SqlDatabase(databaseTarget(config, dialect), DIALECTS[dialect], (name) =>
      log.info('the schema was brought up to date', { part, migration: name }),
    );
    this.#open.set(dialect, database);
    startup.needs({ name: part, connect: () => database.connect() });
    health.register({ part, severity: 'non-critical', check: () => database.health() });
    shutdown.onShutdown('disconnect', part, () => database.close());
    return database;
  }
}
