import type { AppRecord } from '@carillon/config';
import { AppChanged, AppConflict, AppNotFound } from '../failures.js';
import type { AppPage, AppPageRequest, AppStore, RevisedApp } from '../port.js';

/**
 * Driver `memory` (also called `array`): an in-process map, filled with the inline apps at start. Changes are lost at
 * restart and are not visible to other nodes. Its size is determined by what the operator configures or creates.
 */
export class MemoryAppStore implements AppStore {
  readonly local = true;
  readonly #byId = new Map<string, AppRecord>();
  readonly #byKey = new Map<string, AppRecord>();
  readonly #revisions = new WeakMap<AppRecord, string>();
  #writes = 0;

  async init(): Promise<void> {}

  async create(record: AppRecord): Promise<void> {
    if (this.#byId.has(record.id)) throw new AppConflict(record.id, 'id');
    if (this.#byKey.has(record.key)) throw new AppConflict(record.id, 'key');
    this.#put(record);
  }

  async update(record: AppRecord, ifRevision?: string): Promise<void> {
    const before = this.#byId.get(record.id);
    if (before === undefined) throw new AppNotFound(record.id);
    if (ifRevision !== undefined && ifRevision !== this.#revisions.get(before))
      throw new AppChanged(record.id);
    const holder = this.#byKey.get(record.key);
    if (holder !== undefined && holder !== before) throw new AppConflict(record.id, 'key');
    this.#byKey.delete(before.key);
    this.#put(record);
  }

  async delete(id: string): Promise<boolean> {
    const before = this.#byId.get(id);
    if (before === undefined) return false;
    this.#byKey.delete(before.key);
    return this.#byId.delete(id);
  }

  async list({ limit, cursor }: AppPageRequest): Promise<AppPage> {
    const ids = [...this.#byId.keys()].filter((id) => cursor === null || id > cursor).sort();
    const page = ids.slice(0, limit);
    const apps = page.flatMap((id) => this.#byId.get(id) ?? []);
    return { apps, next: ids.length > limit ? (page.at(-1) ?? null) : null };
  }

  async read(id: string): Promise<RevisedApp | null> {
    const stored = this.#byId.get(id);
    return stored === undefined ? null : { stored, revision: this.#revisions.get(stored) ?? '0' };
  }

  async findById(id: string): Promise<AppRecord | null> {
    return this.#byId.get(id) ?? null;
  }

  async findByKey(key: string): Promise<AppRecord | null> {
    return this.#byKey.get(key) ?? null;
  }

  async health(): Promise<void> {}

  async close(): Promise<void> {}

  #put(record: AppRecord): void {
    this.#revisions.set(record, String(++this.#writes));
    this.#byId.set(record.id, record);
    this.#byKey.set(record.key, record);
  }
}
