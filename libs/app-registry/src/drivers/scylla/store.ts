import type { AppRecord } from '@carillon/config';
import { ScyllaRejected, type ScyllaRow, type ScyllaSession, ScyllaUnavailable } from '@carillon/scylla';
import { AppChanged, AppConflict, AppNotFound, AppStoreUnavailable } from '../../failures.js';
import type { AppChangePage, AppPage, AppPageRequest, AppStore, RevisedApp, StoredApp } from '../../port.js';
import { changedSince } from './changes.js';
import { KeyReservations, RESERVATION_MS } from './key-reservations.js';
import { appOf, COLUMNS, isAskable, revisionOf, rowOf } from './row.js';
import { type AppTables, ensureTables, tablesOf } from './tables.js';

/** Writes of one app that meet others are repeated this often. */
const MAX_ATTEMPTS = 10;
/** The write of an app is sent at most this long after its key was reserved; see `RESERVATION_MS`. */
const WRITE_WITHIN_MS = 5000;
/** Apps that hold one key by the index: more than one only if others wrote them. */
const MAX_HOLDERS = 10;

/**
 * Driver `scylladb`: one row per app, readable and writable for other programs, and one row per key in a second table, which
 * makes keys unique (`KeyReservations`). A key is looked up by its reservation, and by the index only where there is none:
 * another program may have written the app.
 */
export class ScyllaAppStore implements AppStore {
  readonly local = false;
  readonly #tables: AppTables;
  readonly #keys: KeyReservations;

  constructor(
    private readonly session: ScyllaSession,
    private readonly name: string,
    reservationMs = RESERVATION_MS,
  ) {
    this.#tables = tablesOf(session, name);
    const holders = {
      hasKey: async (id: string, key: string) => (await this.#row(id, true))?.['key'] === key,
      indexed: (key: string) => this.#indexed(key),
    };
    this.#keys = new KeyReservations(session, this.#tables.keys, holders, reservationMs);
  }

  init(): Promise<void> {
    return available(async () => {
      await this.session.connect();
      await ensureTables(this.session, this.name);
    });
  }

  async create(record: AppRecord): Promise<void> {
    const { id, key, secret, enabled, policy } = rowOf(record);
    const query = `INSERT INTO ${this.#tables.apps} (id, "key", secret, enabled, policy, created_at, updated_at)
      VALUES (?, ?, ?, ?, ?, toTimestamp(now()), toTimestamp(now())) IF NOT EXISTS`;
    await available(async () => {
      if ((await this.#row(id, true)) !== undefined) throw new AppConflict(id, 'id');
      const insert = { query, params: [id, key, secret, enabled, policy] };
      if (await this.#writeReserved(id, key, () => this.session.applyIf([insert]))) return;
      if ((await this.#row(id, true))?.['key'] !== key) await this.#keys.release(id, key);
      throw new AppConflict(id, 'id');
    });
  }

  async update(record: AppRecord, ifRevision?: string): Promise<void> {
    const { id, key, secret, enabled, policy } = rowOf(record);
    const query = `UPDATE ${this.#tables.apps} SET "key" = ?, secret = ?, enabled = ?, policy = ?,
      updated_at = toTimestamp(now()) WHERE id = ? IF "key" = ?${ifRevision === undefined ? '' : ' AND policy = ?'}`;
    await available(() =>
      repeated(async () => {
        const row = await this.#row(id, true);
        if (row === undefined) throw new AppNotFound(id);
        if (ifRevision !== undefined && ifRevision !== revisionOf(row)) throw new AppChanged(id);
        const before = row['key'];
        const seen = ifRevision === undefined ? [before] : [before, row['policy']];
        const change = { query, params: [key, secret, enabled, policy, id, ...seen] };
        if (!(await this.#writeReserved(id, key, () => this.session.applyIf([change])))) return undefined;
        if (typeof before === 'string' && before !== key) await this.#keys.release(id, before);
        return true;
      }),
    );
  }

  async delete(id: string): Promise<boolean> {
    if (!isAskable(id)) return false;
    return available(() =>
      repeated(async () => {
        const row = await this.#row(id, true);
        if (row === undefined) return false;
        const before = row['key'];
        const query = `DELETE FROM ${this.#tables.apps} WHERE id = ? IF "key" = ?`;
        if (!(await this.session.applyIf([{ query, params: [id, before] }]))) return undefined;
        if (typeof before === 'string') await this.#keys.release(id, before);
        return true;
      }),
    );
  }

  list({ limit, cursor }: AppPageRequest): Promise<AppPage> {
    const after = cursor === null ? '' : ' WHERE token(id) > token(?)';
    const query = `SELECT ${COLUMNS} FROM ${this.#tables.apps}${after} LIMIT ?`;
    return available(async () => {
      const rows: ScyllaRow[] = [];
      const params = [...(cursor === null ? [] : [cursor]), limit + 1];
      for await (const row of this.session.readAll({ query, params })) rows.push(row);
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      return {
        apps: page.flatMap((row) => appOf(row) ?? []),
        next: rows.length > limit && last !== undefined ? String(last['id']) : null,
      };
    });
  }

  async read(id: string): Promise<RevisedApp | null> {
    if (!isAskable(id)) return null;
    return available(async () => {
      const row = await this.#row(id, true);
      const stored = appOf(row);
      return row === undefined || stored === null ? null : { stored, revision: revisionOf(row) };
    });
  }

  async findById(id: string): Promise<StoredApp | null> {
    if (!isAskable(id)) return null;
    return available(async () => appOf(await this.#row(id)));
  }

  async findByKey(key: string): Promise<StoredApp | null> {
    if (!isAskable(key)) return null;
    return available(async () => {
      const reserved = await this.#keys.appOf(key);
      const row = reserved === null ? undefined : await this.#row(reserved);
      if (row?.['key'] === key) return appOf(row);
      const [unreserved] = await this.#indexed(key);
      const other = unreserved === undefined ? undefined : await this.#row(unreserved);
      return other?.['key'] === key ? appOf(other) : null;
    });
  }

  changedSince(mark: string | null, limit: number): Promise<AppChangePage> {
    return available(() => changedSince(this.session, this.#tables.apps, mark, limit));
  }

  health(): Promise<void> {
    return available(() => this.session.health());
  }

  async close(): Promise<void> {
    await this.session.close();
  }

  /** Writes an app under a key that is reserved for it first. Resolves with false if its row has changed. */
  async #writeReserved(id: string, key: string, write: () => Promise<boolean>): Promise<boolean> {
    const begunMs = performance.now();
    await this.#keys.reserve(id, key);
    if (performance.now() - begunMs > WRITE_WITHIN_MS) {
      throw new AppStoreUnavailable('the reservation of the key took too long');
    }
    return write();
  }

  async #row(id: string, isSerial = false): Promise<ScyllaRow | undefined> {
    const query = `SELECT ${COLUMNS} FROM ${this.#tables.apps} WHERE id = ?`;
    return (await this.session.read({ query, params: [id] }, { isSerial })).rows[0];
  }

  async #indexed(key: string): Promise<string[]> {
    const query = `SELECT id FROM ${this.#tables.apps} WHERE "key" = ? LIMIT ${MAX_HOLDERS}`;
    return (await this.session.read({ query, params: [key] })).rows.map((row) => String(row['id'])).sort();
  }
}

/** Repeats work until it has an answer: undefined means that the row changed between read and write. */
async function repeated<Answer>(work: () => Promise<Answer | undefined>): Promise<Answer> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const answer = await work();
    if (answer !== undefined) return answer;
  }
  throw new AppStoreUnavailable('the app is changed too often by others');
}

async function available<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (thrown) {
    const isStorage = thrown instanceof ScyllaUnavailable || thrown instanceof ScyllaRejected;
    throw isStorage ? new AppStoreUnavailable(thrown.message, { cause: thrown }) : thrown;
  }
}
