import type { Database, SqlScalar } from '@carillon/database';
import {
  ACTIVE_STATES,
  type Claim,
  type DeferredItem,
  OVER_STATES,
  type ScheduledJob,
  type StoredPublish,
  type WorkerRow,
} from '../model/publishes.js';
import type { PushStore } from '../port/port.js';
import type { PurgeCategory } from '../port/upkeep.js';
import { publishOf } from './publish-row.js';
import { SqlCounts } from './counts.js';
import { rememberKeys } from './idempotency.js';
import { removeRowsOfKeys } from './keyed.js';
import { oldestOfStates } from './oldest.js';
import { places, Sql, type Statements, type StoreObserver } from './session.js';
import type { Table } from './table.js';
import { textOf } from './table.js';
import {
  CLAIMS,
  DEAD_LETTERS,
  DEFERRED,
  EVENTS,
  IDEMPOTENCY,
  INSTALLATION,
  LOCKS,
  LOGS,
  OPERATOR_EVENTS,
  PUBLISHES,
  QUOTAS,
  SCHEDULED,
  SHARDS,
  WORKERS,
} from './tables.js';

/** Categories whose rows are removed by a time column. */
const BY_TIME: Readonly<Partial<Record<PurgeCategory, readonly [Table<never>, string]>>> = {
  deliveryEvents: [EVENTS as Table<never>, 'occurred_ms'],
  operatorEvents: [OPERATOR_EVENTS as Table<never>, 'occurred_ms'],
  deadLetters: [DEAD_LETTERS as Table<never>, 'occurred_ms'],
  idempotency: [IDEMPOTENCY as Table<never>, 'expires_ms'],
  locks: [LOCKS as Table<never>, 'expires_ms'],
  workers: [WORKERS as Table<never>, 'expires_ms'],
};

const BEGUN_STATES = ACTIVE_STATES.filter((state) => state !== 'queued');

/** In tables of PostgreSQL, MySQL or MariaDB. */
export class SqlPushStore extends SqlCounts implements PushStore {
  readonly durable = true;

  constructor(
    readonly driver: string,
    private readonly database: Database,
    observer?: StoreObserver,
  ) {
    super(new Sql(database, observer));
  }

  async connect(): Promise<void> {
    await this.database.connect();
  }

  async health(): Promise<void> {
    await this.database.health();
  }

  async close(): Promise<void> {
    await this.database.close();
  }

  async dueJobs(nowMs: number, limit: number): Promise<ScheduledJob[]> {
    const rest = `where due_ms <= ? order by due_ms, app_id, job_id limit ${limit}`;
    return this.sql.now((one) => one.rows(SCHEDULED, rest, [nowMs]));
  }

  async removeJob(appId: string, jobId: string): Promise<void> {
    await this.#run(`delete from ${SCHEDULED.name} where app_id = ? and job_id = ?`, [appId, jobId]);
  }

  async cancelJob(
    appId: string,
    jobId: string,
    nowMs: number,
  ): Promise<'cancelled' | 'dispatched' | 'absent'> {
    return this.sql.step(async (one) => {
      const rest = 'where app_id = ? and publish_id = ? for update';
      const row = await one.row(PUBLISHES, rest, [appId, jobId]);
      if (row === null || row.state === 'cancelled') return 'absent';
      if (row.state !== 'queued') return 'dispatched';
      await one.put(PUBLISHES, { ...row, state: 'cancelled', updatedMs: nowMs });
      await one.run(`delete from ${SCHEDULED.name} where app_id = ? and job_id = ?`, [appId, jobId]);
      return 'cancelled';
    });
  }

  async putDeferred(items: readonly DeferredItem[]): Promise<void> {
    await this.sql.now((one) => one.add(DEFERRED, items));
  }

  async dueDeferred(nowMs: number, limit: number): Promise<DeferredItem[]> {
    const rest = `where due_ms <= ? order by due_ms, id limit ${limit}`;
    return this.sql.now((one) => one.rows(DEFERRED, rest, [nowMs]));
  }

  async removeDeferred(ids: readonly string[]): Promise<void> {
    await this.sql.now((one) => removeRowsOfKeys(one, DEFERRED as Table<never>, { of: [], keys: ids }));
  }

  async lock(appId: string, lockId: string, owner: string, nowMs: number, untilMs: number): Promise<boolean> {
    return this.sql.step(async (one) => {
      const taken = await one.run(
        `update ${LOCKS.name} set owner_id = ?, expires_ms = ?
         where app_id = ? and lock_id = ? and (owner_id = ? or expires_ms <= ?)`,
        [owner, untilMs, appId, lockId, owner, nowMs],
      );
      if (taken.changed > 0) return true;
      return (await this.#addIfNew(one, LOCKS, [appId, lockId, owner, untilMs])) === 1;
    });
  }

  async unlock(appId: string, lockId: string, owner: string): Promise<void> {
    const text = `delete from ${LOCKS.name} where app_id = ? and lock_id = ? and owner_id = ?`;
    await this.#run(text, [appId, lockId, owner]);
  }

  async remember(appId: string, key: string, nowMs: number, untilMs: number): Promise<boolean> {
    return (await this.rememberAll(appId, [key], nowMs, untilMs)).has(key);
  }

  async rememberAll(
    appId: string,
    keys: readonly string[],
    nowMs: number,
    untilMs: number,
  ): Promise<ReadonlySet<string>> {
    // In a fixed order, so that concurrent transactions with the same keys cannot deadlock.
    const sorted = [...new Set(keys)].toSorted();
    if (sorted.length === 0) return new Set();
    return this.sql.changed((one) => rememberKeys(one, { appId, keys: sorted, nowMs, untilMs }));
  }

  async useQuota(appId: string, day: string, amount: number, limit: number): Promise<boolean> {
    return this.sql.step(async (one) => {
      await this.#addIfNew(one, QUOTAS, [appId, day, '', 0]);
      const bound = amount > 0 ? ' and used + ? <= ?' : '';
      const { changed } = await one.run(
        `update ${QUOTAS.name} set used = greatest(0, used + ?) where app_id = ? and day = ? and provider = ''${bound}`,
        [amount, appId, day, ...(amount > 0 ? [amount, limit] : [])],
      );
      return changed === 1;
    });
  }

  async installationValue(name: string, proposed: string | null): Promise<string | null> {
    const find = async (): Promise<string | null> => {
      const text = `select content from ${INSTALLATION.name} where name = ?`;
      const { rows } = await this.sql.now((one) => one.run(text, [name]));
      return rows[0] === undefined ? null : textOf(rows[0]['content']);
    };
    const known = await find();
    if (known !== null || proposed === null) return known;
    await this.sql.now((one) => this.#addIfNew(one, INSTALLATION, [name, proposed]));
    return find();
  }

  async beat({ workerId, expiresMs, ...lists }: WorkerRow): Promise<void> {
    const texts = Object.entries(lists).map(([name, list]) => [name, JSON.stringify(list)] as const);
    const row = { workerId, expiresMs, ...Object.fromEntries(texts) };
    await this.sql.now((one) => one.put(WORKERS, row));
  }

  async workers(nowMs: number): Promise<WorkerRow[]> {
    const text = `select ${WORKERS.list} from ${WORKERS.name} where expires_ms > ?`;
    const { rows } = await this.sql.now((one) => one.run(text, [nowMs]));
    return rows.map((row) => ({
      workerId: textOf(row['worker_id']),
      stages: wordsOf(row['stages']),
      providers: wordsOf(row['providers']),
      // Older versions do not report them.
      credentials: wordsOf(row['credentials']),
      expiresMs: Number(row['expires_ms']),
    }));
  }

  async leave(workerId: string): Promise<void> {
    await this.#run(`delete from ${WORKERS.name} where worker_id = ?`, [workerId]);
  }

  async forgottenPublishes(
    planning: 'begun' | 'queued',
    beforeMs: number,
    nowMs: number,
    limit: number,
  ): Promise<StoredPublish[]> {
    return planning === 'queued'
      ? this.#oldest(['queued'], beforeMs, nowMs, limit)
      : this.#oldest(BEGUN_STATES, beforeMs, nowMs, limit, ' and p.planning_complete = false');
  }

  async stalePublishes(beforeMs: number, limit: number): Promise<StoredPublish[]> {
    return this.#oldest(ACTIVE_STATES, beforeMs, beforeMs, limit);
  }

  async forgottenClaims(
    { untouchedMs, freeMs }: { readonly untouchedMs: number; readonly freeMs: number },
    limit: number,
  ): Promise<Claim[]> {
    const { text, values } = oldestOfStates(
      {
        select: `select ${CLAIMS.list} from ${CLAIMS.name}`,
        states: ['planned', 'sending', 'retry'],
        state: 'state',
        changed: 'updated_ms',
        beforeMs: untouchedMs,
        and: { text: '(lease_until_ms is null or lease_until_ms < ?)', values: [freeMs] },
      },
      limit,
    );
    const { rows } = await this.sql.inOrder((one) => one.run(text, values));
    return rows.map((row) => CLAIMS.rowOf(row));
  }

  async purge(category: PurgeCategory, beforeMs: number, limit: number): Promise<number> {
    const byTime = BY_TIME[category];
    if (byTime !== undefined) {
      const [table, column] = byTime;
      return this.sql.now((one) => one.removeSome(table, `${column} < ?`, [beforeMs], limit));
    }
    return this.#purgePublishes(beforeMs, limit);
  }

  async #purgePublishes(beforeMs: number, limit: number): Promise<number> {
    const { text, values } = oldestOfStates(
      {
        select: `select ${PUBLISHES.list} from ${PUBLISHES.name}`,
        states: OVER_STATES,
        state: 'state',
        changed: 'updated_ms',
        beforeMs,
      },
      limit,
    );
    const { rows: found } = await this.sql.inOrder((one) => one.run(text, values));
    const rows = found.map((row) => PUBLISHES.rowOf(row));
    for (const { appId, publishId } of rows) {
      // The publish last: an interrupted removal is found again.
      for (const { name } of [CLAIMS, SHARDS, LOGS, PUBLISHES]) {
        await this.#run(`delete from ${name} where app_id = ? and publish_id = ?`, [appId, publishId]);
      }
    }
    return rows.length;
  }

  /** Publishes that do not wait for their time. */
  async #oldest(
    states: readonly string[],
    beforeMs: number,
    nowMs: number,
    limit: number,
    more = '',
  ): Promise<StoredPublish[]> {
    const columns = PUBLISHES.names.map((name) => `p.${name}`).join(', ');
    const { text, values } = oldestOfStates(
      {
        select: `select ${columns} from ${PUBLISHES.name} p left join ${LOGS.name} l
          on l.app_id = p.app_id and l.publish_id = p.publish_id`,
        states,
        state: 'p.state',
        changed: 'p.updated_ms',
        beforeMs,
        and: { text: `(l.not_before_ms is null or l.not_before_ms <= ?)${more}`, values: [nowMs] },
      },
      limit,
    );
    const { rows } = await this.sql.inOrder((one) => one.run(text, values));
    return rows.map((row) => publishOf(PUBLISHES.rowOf(row)));
  }

  async #addIfNew(one: Statements, table: Table<object>, values: readonly SqlScalar[]): Promise<number> {
    const ignore = this.sql.dialect === 'mysql' ? 'ignore ' : '';
    const rest = this.sql.dialect === 'mysql' ? '' : ' on conflict do nothing';
    const text = `insert ${ignore}into ${table.name} (${table.list}) values (${places(values.length)})${rest}`;
    return (await one.run(text, values)).changed;
  }

  async #run(text: string, values: readonly SqlScalar[]): Promise<void> {
    await this.sql.now((one) => one.run(text, values));
  }
}

function wordsOf(value: unknown): string[] {
  const list: unknown = typeof value === 'string' ? JSON.parse(value) : value;
  return Array.isArray(list) ? list.filter((word) => typeof word === 'string') : [];
}
