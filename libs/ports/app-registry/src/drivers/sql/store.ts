import type { AppRecord } from '@carillon/config';
import {
  type Database,
  DatabaseRejected,
  DatabaseUnavailable,
  type SqlAnswer,
  type SqlRow,
  type SqlScalar,
} from '@carillon/database';
import { AppConflict, AppNotFound, AppNotStorable, AppStoreUnavailable } from '../../failures.js';
import type { AppChangePage, AppPage, AppPageRequest, AppStore, StoredApp } from '../../port.js';
import { COLUMNS } from './columns.js';
import type { TableDialect } from './dialect.js';
import { readMark, writeMark } from './mark.js';
import { appOf, isWellFormed, MAX_JSON_BYTES, rowOf } from './row.js';

/** A transaction that began this long before the store was asked may still commit an earlier time; it is looked for again. */
const OVERLAP_SECONDS = 10;

/**
 * Drivers `postgres` and `mysql`: one row an app. The database is shared by the process, so closing the store leaves
 * it open.
 */
export class SqlAppStore implements AppStore {
  readonly local = false;
  readonly #table: string;
  readonly #columns: string;

  /** The table is among the migrations of the database. */
  constructor(
    private readonly database: Database,
    private readonly dialect: TableDialect,
    table: string,
  ) {
    const { quote, jsonText } = dialect;
    this.#table = quote(table);
    const read = COLUMNS.filter(({ kind }) => kind !== 'created' && kind !== 'updated');
    this.#columns = read
      .map(({ name, kind }) =>
        kind === 'json' ? `${jsonText(name, MAX_JSON_BYTES)} as ${quote(name)}` : quote(name),
      )
      .join(', ');
  }

  async init(): Promise<void> {
    await available(this.database.connect());
  }

  async create(record: AppRecord): Promise<void> {
    const row = [...rowOf(record)];
    const { quote, placeholder } = this.dialect;
    const names = row.map(([name]) => quote(name)).join(', ');
    const values = row.map((_, index) => placeholder(index + 1)).join(', ');
    const write = this.database.query(
      `insert into ${this.#table} (${names}) values (${values})`,
      row.map(([, value]) => value),
    );
    await this.#written(record, write, async () => ((await this.#holds(record.id)) ? 'id' : 'key'));
  }

  async update(record: AppRecord): Promise<void> {
    const row = [...rowOf(record)].filter(([name]) => name !== 'id');
    const { quote, placeholder, now } = this.dialect;
    const changes = row.map(([name], index) => `${quote(name)} = ${placeholder(index + 1)}`);
    const write = this.database.query(
      `update ${this.#table} set ${changes.join(', ')}, ${quote('updated_at')} = ${now}
       where ${quote('id')} = ${placeholder(row.length + 1)}`,
      [...row.map(([, value]) => value), record.id],
    );
    const { changed } = await this.#written(record, write, async () => 'key');
    if (changed === 0) throw new AppNotFound(record.id);
  }

  async delete(id: string): Promise<boolean> {
    const where = `where ${this.dialect.quote('id')} = ${this.dialect.placeholder(1)}`;
    const { changed } = await this.#ask(`delete from ${this.#table} ${where}`, [id]);
    return changed > 0;
  }

  async list({ limit, cursor }: AppPageRequest): Promise<AppPage> {
    const { quote, placeholder } = this.dialect;
    const where = cursor === null ? '' : `where ${quote('id')} > ${placeholder(1)}`;
    const { rows } = await this.#ask(
      `select ${this.#columns} from ${this.#table} ${where} order by ${quote('id')} limit ${limit + 1}`,
      cursor === null ? [] : [cursor],
    );
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
    const { quote, placeholder, timeText, time, now } = this.dialect;
    if (mark === null) return { appIds: [], mark: writeMark({ time: await this.#now(), id: null }) };
    const from = readMark(mark);
    const updated = quote('updated_at');
    const after = time(placeholder(1), from.id === null ? OVERLAP_SECONDS : 0);
    const where =
      from.id === null
        ? `${updated} > ${after}`
        : `(${updated} > ${after} or (${updated} = ${time(placeholder(2), 0)} and ${quote('id')} > ${placeholder(3)}))`;
    const { rows } = await this.#ask(
      `select ${quote('id')} as id, ${timeText(updated)} as time, ${timeText(now)} as asked
       from ${this.#table} where ${where} order by ${updated}, ${quote('id')} limit ${limit}`,
      from.id === null ? [from.time] : [from.time, from.time, from.id],
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
    // A table that somebody else made may compare more freely than an app may be found.
    return row?.[by] === value ? appOf(row) : null;
  }

  async #row(by: 'id' | 'key', value: string): Promise<SqlRow | undefined> {
    const where = `where ${this.dialect.quote(by)} = ${this.dialect.placeholder(1)}`;
    try {
      const { rows } = await this.database.query(
        `select ${this.#columns} from ${this.#table} ${where} limit 1`,
        [value],
      );
      return rows[0];
    } catch (thrown) {
      // What cannot be in the column is not in it.
      if (thrown instanceof DatabaseRejected && thrown.reason === 'data') return undefined;
      throw unavailable(thrown);
    }
  }

  async #holds(id: string): Promise<boolean> {
    return (await this.#row('id', id)) !== undefined;
  }

  async #now(): Promise<string> {
    const { timeText, now } = this.dialect;
    const { rows } = await this.#ask(`select ${timeText(now)} as asked`);
    return String(rows[0]?.['asked']);
  }

  async #written(
    { id }: AppRecord,
    write: Promise<SqlAnswer>,
    taken: () => Promise<'id' | 'key'>,
  ): Promise<SqlAnswer> {
    try {
      return await write;
    } catch (thrown) {
      if (!(thrown instanceof DatabaseRejected)) throw unavailable(thrown);
      if (thrown.reason === 'unique') throw new AppConflict(id, await taken());
      if (thrown.reason === 'data') throw new AppNotStorable(id, thrown.message);
      throw unavailable(thrown);
    }
  }

  #ask(sql: string, values: readonly SqlScalar[] = []): Promise<SqlAnswer> {
    return available(this.database.query(sql, values));
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
