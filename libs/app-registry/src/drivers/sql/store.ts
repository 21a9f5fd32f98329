import type { AppRecord } from '@carillon/config';
import {
  type Database,
  DatabaseRejected,
  DatabaseUnavailable,
  type EntityManager,
  type SqlRow,
} from '@carillon/database';
import { AppChanged, AppConflict, AppNotFound, AppNotStorable, AppStoreUnavailable } from '../../failures.js';
import type { AppChangePage, AppPage, AppPageRequest, AppStore, RevisedApp, StoredApp } from '../../port.js';
import { isWellFormed } from '../stored-form.js';
import { COLUMNS } from './columns.js';
import type { TableDialect } from './dialect.js';
import { APP } from './entity.js';
import { readMark, writeMark } from './mark.js';
import { appOf, MAX_JSON_BYTES, rowOf } from './row.js';

/**
 * A transaction that began this long before the store was asked may still commit an earlier time; it is looked for
 * again.
 */
const OVERLAP_SECONDS = 10;

/** The columns read for an app; times are used only inside the database. */
const READ = COLUMNS.filter(({ kind }) => kind !== 'created' && kind !== 'updated');

/**
 * Drivers `postgres` and `mysql`: one row per app, an entity of TypeORM. JSON is read as text with a length limit, so
 * that oversized values are not transferred. The database is shared by the process, so closing the store leaves it
 * open.
 */
export class SqlAppStore implements AppStore {
  readonly local = false;

  /** The table is among those of the database. */
  constructor(
    private readonly database: Database,
    private readonly dialect: TableDialect,
  ) {}

  async init(): Promise<void> {
    await available(this.database.connect());
  }

  async create(record: AppRecord): Promise<void> {
    const row = rowOf(record);
    const write = this.database.entities((manager) =>
      manager.createQueryBuilder().insert().into(APP).values(row).updateEntity(false).execute(),
    );
    await this.#written(record, write, async () => ((await this.#holds(record.id)) ? 'id' : 'key'));
  }

  async update(record: AppRecord, ifRevision?: string): Promise<void> {
    const { id, ...row } = rowOf(record);
    const changes = { ...row, updated_at: () => this.dialect.now };
    const write = this.database.entities((manager) => {
      const query = manager.createQueryBuilder().update(APP).set(changes).where({ id });
      const { timeText, quote } = this.dialect;
      const conditional =
        ifRevision === undefined
          ? query
          : query.andWhere(`${timeText(quote('updated_at'))} = :ifRevision`, { ifRevision });
      return conditional.updateEntity(false).execute();
    });
    const { affected } = await this.#written(record, write, async () => 'key');
    if (affected !== 0) return;
    if (ifRevision !== undefined && (await this.#holds(record.id))) throw new AppChanged(record.id);
    throw new AppNotFound(record.id);
  }

  /** The revision is the time of the last write, which the database sets for every writer. */
  async read(id: string): Promise<RevisedApp | null> {
    if (!isWellFormed(id)) return null;
    const row = await this.#row('id', id);
    return row?.['id'] === id ? { stored: appOf(row), revision: String(row['revision']) } : null;
  }

  async delete(id: string): Promise<boolean> {
    const { affected } = await this.#ask((manager) => manager.delete(APP, { id }));
    return (affected ?? 0) > 0;
  }

  async list({ limit, cursor }: AppPageRequest): Promise<AppPage> {
    const rows = await this.#ask((manager) => {
      const query = this.#read(manager)
        .orderBy('app.id')
        .limit(limit + 1);
      return (cursor === null ? query : query.where('app.id > :cursor', { cursor })).getRawMany<SqlRow>();
    });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      apps: page.map(appOf),
      next: rows.length > limit && last !== undefined ? String(last['id']) : null,
    };
  }

  findById(id: string): Promise<StoredApp | null> {
    return this.#find('id', id);
  }

  findByKey(key: string): Promise<StoredApp | null> {
    return this.#find('key', key);
  }

  async changedSince(mark: string | null, limit: number): Promise<AppChangePage> {
    const { timeText, time, now } = this.dialect;
    if (mark === null) return { appIds: [], mark: writeMark({ time: await this.#now(), id: null }) };
    const from = readMark(mark);
    const after = time(':time', from.id === null ? OVERLAP_SECONDS : 0);
    const where =
      from.id === null
        ? `app.updated_at > ${after}`
        : `(app.updated_at > ${after} or (app.updated_at = ${time(':time', 0)} and app.id > :id))`;
    const rows = await this.#ask((manager) =>
      manager
        .createQueryBuilder(APP, 'app')
        .select('app.id', 'id')
        .addSelect(timeText('app.updated_at'), 'time')
        .addSelect(timeText(now), 'asked')
        .where(where, from)
        .orderBy('app.updated_at')
        .addOrderBy('app.id')
        .limit(limit)
        .getRawMany<SqlRow>(),
    );
    const last = rows.at(-1);
    const open = rows.length === limit && last !== undefined;
    const asked = last === undefined ? await this.#now() : String(last['asked']);
    return {
      appIds: rows.map(({ id }) => String(id)),
      mark: writeMark(
        open ? { time: String(last['time']), id: String(last['id']) } : { time: asked, id: null },
      ),
    };
  }

  async health(): Promise<void> {
    await available(this.database.health());
  }

  async close(): Promise<void> {}

  async #find(by: 'id' | 'key', value: string): Promise<StoredApp | null> {
    if (!isWellFormed(value)) return null;
    const row = await this.#row(by, value);
    // A table created by another program may have a collation that matches more than exact values.
    return row?.[by] === value ? appOf(row) : null;
  }

  async #row(by: 'id' | 'key', value: string): Promise<SqlRow | undefined> {
    try {
      return await this.database.entities((manager) =>
        this.#read(manager).where(`app.${by} = :value`, { value }).limit(1).getRawOne<SqlRow>(),
      );
    } catch (thrown) {
      // A value that the column cannot hold cannot be found in it.
      if (thrown instanceof DatabaseRejected && thrown.reason === 'data') return undefined;
      throw unavailable(thrown);
    }
  }

  #read(manager: EntityManager) {
    const query = manager.createQueryBuilder(APP, 'app').select([]);
    for (const { name, kind } of READ) {
      const column = `app.${name}`;
      query.addSelect(kind === 'json' ? this.dialect.jsonText(column, MAX_JSON_BYTES) : column, name);
    }
    return query.addSelect(this.dialect.timeText('app.updated_at'), 'revision');
  }

  async #holds(id: string): Promise<boolean> {
    return (await this.#row('id', id)) !== undefined;
  }

  async #now(): Promise<string> {
    const { timeText, now } = this.dialect;
    const { rows } = await available(this.database.query(`select ${timeText(now)} as asked`));
    return String(rows[0]?.['asked']);
  }

  async #written<Answer>(
    { id }: AppRecord,
    write: Promise<Answer>,
    taken: () => Promise<'id' | 'key'>,
  ): Promise<Answer> {
    try {
      return await write;
    } catch (thrown) {
      if (!(thrown instanceof DatabaseRejected)) throw unavailable(thrown);
      if (thrown.reason === 'unique') throw new AppConflict(id, await taken());
      if (thrown.reason === 'data') throw new AppNotStorable(id, thrown.message);
      throw unavailable(thrown);
    }
  }

  #ask<Answer>(work: (manager: EntityManager) => Promise<Answer>): Promise<Answer> {
    return available(this.database.entities(work));
  }
}

async function available<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (thrown) {
    throw unavailable(thrown);
  }
}

const unavailable = (thrown: unknown): unknown =>
  thrown instanceof DatabaseRejected || thrown instanceof DatabaseUnavailable
    ? new AppStoreUnavailable('the app store cannot answer', { cause: thrown })
    : thrown;
