import { bounded } from '@carillon/runtime';
import { tracedPart } from '@carillon/tracing';
import type { DataSource, EntityManager, EntitySchemaOptions } from 'typeorm';
import type { Dialect } from './dialects/dialect.js';
import { DatabaseUnavailable } from './failures.js';
import {
  ACQUIRE_TIMEOUT_MS,
  ANSWER_GRACE_MS,
  CLOSE_TIMEOUT_MS,
  type DatabaseLimits,
  SHARED_LIMITS,
  TRANSACTION_TIMEOUT_MS,
} from './limits.js';
import { migrate, type MigratedListener } from './migrations/migrate.js';
import type { Place, Tables } from './migrations/tables.js';
import { openDataSource } from './open.js';
import type { Database, SqlAnswer, SqlDialect, SqlSession, SqlTransaction } from './port.js';
import { failureOf, Session } from './session.js';
import type { DatabaseTarget } from './target.js';
import { inTransaction } from './transaction.js';

/** A database over a TypeORM data source, which is opened by `connect` and not before. */
export class SqlDatabase implements Database {
  readonly dialect: SqlDialect;
  readonly #sessions = new Set<Session>();
  /** Loss counter at the time each connection was set up. */
  readonly #prepared = new WeakMap<object, number>();
  readonly #tables: Tables[] = [];
  readonly #places = new Map<string, Place>();
  #source: DataSource | null = null;
  #connecting: Promise<void> | null = null;
  /** Number of migrated tables. */
  #settled = 0;
  /** Number of lost connections; a loss invalidates connections of the same age. */
  #losses = 0;
  readonly #calls = new Set<Promise<unknown>>();
  #closed = false;

  constructor(
    private readonly target: DatabaseTarget,
    private readonly rules: Dialect,
    private readonly onMigrated: MigratedListener = () => {},
    private readonly limits: DatabaseLimits = SHARED_LIMITS,
    /** Set-up statements of every connection besides the common ones. */
    private readonly setup: readonly string[] = [],
  ) {
    this.dialect = target.dialect;
  }

  get #answerMs(): number {
    return this.limits.statementMs + ANSWER_GRACE_MS;
  }

  /** Registers tables for `connect`; those with entities before it is called. */
  add(tables: readonly Tables[]): void {
    this.#tables.push(...tables);
  }

  place(name: string): Place {
    const place = this.#places.get(name);
    if (place === undefined) throw new DatabaseUnavailable('lost', 'not connected yet');
    return place;
  }

  entities<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    return this.#traced('entities', () =>
      this.#borrowed(this.#answerMs, (session) => session.entities(work)),
    );
  }

  connect(): Promise<void> {
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = null;
    });
    return this.#connecting;
  }

  query(...asked: Parameters<SqlSession['query']>): Promise<SqlAnswer> {
    return this.#traced('query', () => this.#borrowed(this.#answerMs, (session) => session.query(...asked)));
  }

  transaction<Result>(work: (session: SqlTransaction) => Promise<Result>, setup?: string): Promise<Result> {
    const opening = this.rules.opening(setup);
    return this.#traced('transaction', () => this.#transaction(opening, work));
  }

  #transaction<Result>(
    opening: readonly string[],
    work: (session: SqlTransaction) => Promise<Result>,
  ): Promise<Result> {
    return this.#borrowed(this.#answerMs, async (session) => {
      const outcome = await bounded(TRANSACTION_TIMEOUT_MS, () => inTransaction(session, opening, work));
      if (outcome.kind === 'done') return outcome.value;
      if (outcome.kind === 'failed') throw outcome.error;
      session.abandon();
      throw new DatabaseUnavailable(
        'timeout',
        `the transaction took longer than ${TRANSACTION_TIMEOUT_MS} ms`,
      );
    });
  }

  async health(): Promise<void> {
    await this.query('select 1');
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#connecting?.catch(() => undefined);
    const source = this.#source;
    this.#source = null;
    if (source === null) return;
    await bounded(CLOSE_TIMEOUT_MS, () => Promise.allSettled(this.#calls));
    for (const session of this.#sessions) session.abandon();
    await bounded(CLOSE_TIMEOUT_MS, () => source.destroy());
  }

  async #connect(): Promise<void> {
    if (this.#closed) throw new DatabaseUnavailable('closed', 'the database is closed');
    const { target, rules } = this;
    const tables = this.#tables.slice(this.#settled);
    if (tables.length > 0) {
      const places = await migrate({ rules, target, tables, onMigrated: this.onMigrated });
      for (const [name, place] of places) this.#places.set(name, place);
      this.#settled += tables.length;
    }
    this.#source ??= await openDataSource(rules, target, { entities: this.#entities() });
  }

  #entities(): EntitySchemaOptions<Record<string, unknown>>[] {
    return this.#tables.flatMap(({ name, entity }) =>
      entity === undefined ? [] : [entity(this.place(name))],
    );
  }

  /** Statements are not traced: they may contain client data. */
  #traced<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    const { dialect } = this;
    return tracedPart(
      () => ({ name: `${dialect} ${what}`, kind: 'client', attributes: { 'db.system.name': dialect } }),
      work,
    );
  }

  async #borrowed<Result>(timeoutMs: number, work: (session: Session) => Promise<Result>): Promise<Result> {
    if (this.#closed) throw new DatabaseUnavailable('closed', 'the database is closed');
    if (this.#source === null) throw new DatabaseUnavailable('lost', 'not connected yet');
    if (this.#calls.size >= this.limits.calls)
      throw new DatabaseUnavailable('busy', `${this.limits.calls} calls wait or run already`);
    const call = this.#withSession(this.#source, timeoutMs, work);
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }

  async #withSession<Result>(
    source: DataSource,
    timeoutMs: number,
    work: (session: Session) => Promise<Result>,
  ): Promise<Result> {
    const session = await this.#borrow(source, timeoutMs);
    try {
      return await work(session);
    } finally {
      this.#sessions.delete(session);
      session.end();
    }
  }

  /**
   * A failure of one connection has mostly broken its neighbours in the pool, which show it only when used: a call
   * would fail for each.
   */
  async #borrow(source: DataSource, timeoutMs: number): Promise<Session> {
    for (;;) {
      const session = await this.#borrowAny(source, timeoutMs);
      if (session !== null) return session;
    }
  }

  /** Null: it was as old as one that was lost since, and is closed. */
  async #borrowAny(source: DataSource, timeoutMs: number): Promise<Session | null> {
    const runner = source.createQueryRunner();
    const connecting = runner.connect() as Promise<object>;
    const outcome = await bounded(ACQUIRE_TIMEOUT_MS, () => connecting);
    if (outcome.kind === 'failed') throw failureOf(this.rules, outcome.error);
    if (outcome.kind === 'timeout') {
      // It may still come; then it goes straight back.
      connecting.then(() => runner.release()).catch(() => undefined);
      throw new DatabaseUnavailable('timeout', `no connection in ${ACQUIRE_TIMEOUT_MS} ms`);
    }
    const connection = outcome.value;
    const age = this.#prepared.get(connection) ?? this.#losses;
    const session = new Session(this.rules, runner, connection, timeoutMs, () => {
      if (age === this.#losses) this.#losses += 1;
    });
    if (age < this.#losses) {
      session.abandon();
      return null;
    }
    this.#sessions.add(session);
    await this.#prepare(session, connection);
    return session;
  }

  /** Sets up a connection the first time it is used. */
  async #prepare(session: Session, connection: object): Promise<void> {
    if (this.#prepared.has(connection)) return;
    try {
      const statements = [this.rules.sessionSetup(this.target, this.limits), ...this.setup];
      await Promise.all(statements.map((statement) => session.query(statement)));
      this.#prepared.set(connection, this.#losses);
    } catch (thrown) {
      this.#sessions.delete(session);
      session.abandon();
      throw thrown;
    }
  }
}
