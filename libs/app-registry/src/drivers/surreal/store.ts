import type { AppRecord } from '@carillon/config';
import { type SurrealSession, SurrealThrown } from '@carillon/surreal';
import { AppChanged, AppConflict, AppNotFound, AppStoreUnavailable } from '../../failures.js';
import type { AppPage, AppPageRequest, AppStore, RevisedApp, StoredApp } from '../../port.js';
import { appOf, contentOf, isStorableText, revisionOf, seenOf } from './record.js';
import { statementsOf, THROWN } from './statements.js';

/** Driver `surrealdb`: one record per app with the id of the app; a unique index enforces unique keys. */
export class SurrealAppStore implements AppStore {
  readonly local = false;
  readonly #statements: ReturnType<typeof statementsOf>;

  constructor(
    private readonly session: SurrealSession,
    private readonly table: string,
  ) {
    this.#statements = statementsOf(table);
  }

  async init(): Promise<void> {
    await this.#send(this.#statements.define);
  }

  create(record: AppRecord): Promise<void> {
    return this.#write(this.#statements.create, record);
  }

  async update(record: AppRecord, ifRevision?: string): Promise<void> {
    if (ifRevision === undefined) return this.#write(this.#statements.update, record);
    const stored = await this.#record(record.id);
    if (stored === undefined) throw new AppNotFound(record.id);
    if (revisionOf(stored) !== ifRevision) throw new AppChanged(record.id);
    return this.#write(this.#statements.update, record, { seen: seenOf(stored) });
  }

  async read(id: string): Promise<RevisedApp | null> {
    const record = isStorableText(id) ? await this.#record(id) : undefined;
    const stored = record === undefined ? null : appOf(record);
    return stored === null ? null : { stored, revision: revisionOf(record) };
  }

  async delete(id: string): Promise<boolean> {
    if (!isStorableText(id)) return false;
    const before = await this.#send(this.#statements.remove, { id: this.session.recordId(this.table, id) });
    return before.length > 0;
  }

  async list({ limit, cursor }: AppPageRequest): Promise<AppPage> {
    // No text is between a cursor and the cursor with a NUL; an array is greater than every text.
    const from = cursor === null ? '' : `${cursor}\0`;
    const range = this.session.recordRange(this.table, from, []);
    const found = await this.#send(this.#statements.list, { range, limit: limit + 1 });
    const apps = found.slice(0, limit).flatMap((record) => appOf(record) ?? []);
    return { apps, next: found.length > limit ? (apps.at(-1)?.id ?? null) : null };
  }

  async findById(id: string): Promise<StoredApp | null> {
    const found = isStorableText(id) ? await this.#record(id) : undefined;
    return found === undefined ? null : appOf(found);
  }

  async findByKey(key: string): Promise<StoredApp | null> {
    if (!isStorableText(key)) return null;
    const [found] = await this.#send(this.#statements.findByKey, { key });
    return found === undefined ? null : appOf(found);
  }

  async health(): Promise<void> {
    await this.#named(() => this.session.health());
  }

  close(): Promise<void> {
    return this.session.close();
  }

  async #record(id: string): Promise<unknown> {
    const [found] = await this.#send(this.#statements.findById, {
      id: this.session.recordId(this.table, id),
    });
    return found;
  }

  async #write(text: string, record: AppRecord, more: Record<string, unknown> = {}): Promise<void> {
    const { id } = record;
    const bindings = { id: this.session.recordId(this.table, id), content: contentOf(record), ...more };
    try {
      await this.#send(text, bindings);
    } catch (error) {
      if (!(error instanceof SurrealThrown)) throw error;
      if (error.value === THROWN.missing) throw new AppNotFound(id);
      if (error.value === THROWN.changed) throw new AppChanged(id);
      throw new AppConflict(id, error.value === THROWN.idTaken ? 'id' : 'key');
    }
  }

  /** Resolves with the records of the last statement. */
  async #send(text: string, bindings: Record<string, unknown> = {}): Promise<readonly unknown[]> {
    const results = await this.#named(() => this.session.transaction(text, () => bindings));
    const last = results.at(-1);
    return Array.isArray(last) ? last : [];
  }

  async #named<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof SurrealThrown) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new AppStoreUnavailable(`app store: ${reason}`, { cause: error });
    }
  }
}
