import {
  compatible,
  type Database,
  type MigrationInterface,
  type Place,
  placed,
  type QueryRunner,
  type SqlDialect,
  type SqlRow,
  type SqlScalar,
  type Tables,
} from '@carillon/database';
import type {
  AuditAction,
  AuditCompletion,
  AuditEntry,
  AuditFilter,
  AuditOutcome,
  AuditPage,
  AuditPosition,
  AuditStore,
} from './entry.js';

const TABLE = 'management_audit';

const nameOf = (dialect: SqlDialect, place: Place): string =>
  dialect === 'postgres' ? placed(place, TABLE) : `\`${TABLE}\``;

/** The table of the audit log. */
export function auditTables(dialect: SqlDialect): Tables {
  class AuditTable1764288000002 implements MigrationInterface {
    constructor(private readonly place: Place) {}

    async up(runner: QueryRunner): Promise<void> {
      const table = nameOf(dialect, this.place);
      const text = dialect === 'postgres' ? 'text' : 'longtext character set utf8mb4';
      const name = (length: number): string =>
        `varchar(${length})${dialect === 'postgres' ? '' : ' character set utf8mb4 collate utf8mb4_bin'}`;
      const indexes =
        dialect === 'postgres'
          ? ''
          : `, index ${TABLE}_at (at_ms, id), index ${TABLE}_app (app_id, at_ms, id)`;
      await runner.query(`create table if not exists ${table} (
        id ${name(64)} not null primary key, at_ms bigint not null, principal ${name(64)} not null,
        session ${name(16)} null, address ${name(64)} null, request_id ${name(64)} not null,
        action ${name(64)} not null, method ${name(16)} not null, app_id ${name(512)} null,
        target ${text} null, state_before ${text} null, state_after ${text} null,
        outcome ${name(16)} not null, status integer null, duration_ms bigint null${indexes})`);
      if (dialect !== 'postgres') return;
      await runner.query(`create index if not exists ${TABLE}_at on ${table} (at_ms, id)`);
      await runner.query(`create index if not exists ${TABLE}_app on ${table} (app_id, at_ms, id)`);
    }

    async down(runner: QueryRunner): Promise<void> {
      await runner.query(`drop table ${nameOf(dialect, this.place)}`);
    }
  }
  return {
    name: 'management audit',
    owned: { tables: [TABLE] },
    migrations: [compatible(AuditTable1764288000002)],
  };
}

const COLUMNS = [
  'id',
  'at_ms',
  'principal',
  'session',
  'address',
  'request_id',
  'action',
  'method',
  'app_id',
  'target',
  'state_before',
  'state_after',
  'outcome',
  'status',
  'duration_ms',
] as const;

/** Deletes this many entries a statement, so that none takes long. */
const PURGE_ROWS = 5000;
const MAX_PURGES = 1000;

/** Audit entries in a table that all processes share. */
export class SqlAuditStore implements AuditStore {
  constructor(private readonly database: Database) {}

  async add(entry: AuditEntry): Promise<void> {
    const values = [
      entry.id,
      entry.at_ms,
      entry.principal,
      entry.session,
      entry.address,
      entry.request_id,
      entry.action,
      entry.method,
      entry.app_id,
      entry.target,
      jsonOf(entry.before),
      jsonOf(entry.after),
      entry.outcome,
      entry.status,
      entry.duration_ms,
    ];
    const statement = new Statement(this.database);
    const marks = values.map((value) => statement.value(value)).join(', ');
    await statement.run(`insert into ${this.#table()} (${COLUMNS.join(', ')}) values (${marks})`);
  }

  async complete(id: string, completion: AuditCompletion): Promise<void> {
    const statement = new Statement(this.database);
    const changes = Object.entries({
      app_id: completion.app_id,
      target: completion.target,
      state_before: jsonOf(completion.before),
      state_after: jsonOf(completion.after),
      outcome: completion.outcome,
      status: completion.status,
      duration_ms: completion.duration_ms,
    }).map(([name, value]) => `${name} = ${statement.value(value)}`);
    await statement.run(
      `update ${this.#table()} set ${changes.join(', ')} where id = ${statement.value(id)}`,
    );
  }

  async list(
    filter: AuditFilter,
    apps: ReadonlySet<string> | null,
    after: AuditPosition | null,
    limit: number,
  ): Promise<AuditPage> {
    const statement = new Statement(this.database);
    const conditions = conditionsOf(filter, apps, after, statement);
    const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
    const rows = await statement.run(
      `select ${COLUMNS.join(', ')} from ${this.#table()}${where}
       order by at_ms desc, id desc limit ${limit + 1}`,
    );
    const entries = rows.slice(0, limit).map(entryOf);
    const last = entries.at(-1);
    const hasMore = rows.length > limit && last !== undefined;
    return { entries, next: hasMore ? { atMs: last.at_ms, id: last.id } : null };
  }

  async purge(beforeMs: number): Promise<void> {
    for (let purges = 0; purges < MAX_PURGES; purges++) {
      const table = this.#table();
      const statement = new Statement(this.database);
      const old = `at_ms < ${statement.value(beforeMs)}`;
      const { changed } =
        this.database.dialect === 'postgres'
          ? await statement.execute(
              `delete from ${table} where id in (select id from ${table} where ${old} limit ${PURGE_ROWS})`,
            )
          : await statement.execute(`delete from ${table} where ${old} limit ${PURGE_ROWS}`);
      if (changed < PURGE_ROWS) return;
    }
  }

  #table(): string {
    return nameOf(this.database.dialect, this.database.place('management audit'));
  }
}

/** A statement with its values, in the placeholders of the dialect. */
class Statement {
  readonly #values: SqlScalar[] = [];

  constructor(private readonly database: Database) {}

  value(value: SqlScalar): string {
    this.#values.push(value);
    return this.database.dialect === 'postgres' ? `$${this.#values.length}` : '?';
  }

  execute(sql: string) {
    return this.database.query(sql, this.#values);
  }

  async run(sql: string): Promise<readonly SqlRow[]> {
    return (await this.execute(sql)).rows;
  }
}

function conditionsOf(
  { app_id, principal, action, since_ms, until_ms }: AuditFilter,
  apps: ReadonlySet<string> | null,
  after: AuditPosition | null,
  statement: Statement,
): string[] {
  const equal = (name: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`${name} = ${statement.value(value)}`];
  const conditions = [
    ...equal('app_id', app_id),
    ...equal('principal', principal),
    ...equal('action', action),
    ...(since_ms === undefined ? [] : [`at_ms >= ${statement.value(since_ms)}`]),
    ...(until_ms === undefined ? [] : [`at_ms < ${statement.value(until_ms)}`]),
  ];
  if (apps !== null) {
    const marks = [...apps].map((app) => statement.value(app));
    conditions.push(`app_id in (${marks.join(', ')})`);
  }
  if (after !== null) {
    const { atMs, id } = after;
    conditions.push(
      `(at_ms < ${statement.value(atMs)} or (at_ms = ${statement.value(atMs)} and id < ${statement.value(id)}))`,
    );
  }
  return conditions;
}

const jsonOf = (value: unknown): string | null =>
  value === null || value === undefined ? null : JSON.stringify(value);

const textOrNull = (value: unknown): string | null => (value === null ? null : (value as string));
const numberOrNull = (value: unknown): number | null => (value === null ? null : Number(value));
const parsed = (value: unknown): unknown =>
  value === null ? null : (JSON.parse(value as string) as unknown);

const entryOf = (row: SqlRow): AuditEntry => ({
  id: String(row['id']),
  at_ms: Number(row['at_ms']),
  principal: String(row['principal']),
  session: textOrNull(row['session']),
  address: textOrNull(row['address']),
  request_id: String(row['request_id']),
  action: String(row['action']) as AuditAction,
  method: String(row['method']),
  app_id: textOrNull(row['app_id']),
  target: textOrNull(row['target']),
  before: parsed(row['state_before']),
  after: parsed(row['state_after']),
  outcome: String(row['outcome']) as AuditOutcome,
  status: numberOrNull(row['status']),
  duration_ms: numberOrNull(row['duration_ms']),
});
