import { keepUnknownMembers, type AppRecord } from '@carillon/config';
import type { AppReference } from './app-reference.js';
import type { BoundedStore } from './bounded-store.js';
import { AppNotFound } from './failures.js';
import type { AnnounceAppChange, RegistryLog } from './options.js';
import { BrokenApp, type StoredApp } from './port.js';
import { references, type CachedApps } from './shared-app-cache.js';
import { within } from './time-bound.js';

const ANNOUNCE_TIMEOUT_MS = 5000;
/** A node that read the store just before the write may put the old record back; by then it has. */
const SECOND_DROP_MS = 1000;

/** Writes apps and invalidates every copy outside this process. */
export class AppWriter {
  readonly #secondDrops = new Set<NodeJS.Timeout>();

  constructor(
    private readonly store: BoundedStore,
    private readonly cache: CachedApps | null,
    private readonly announce: AnnounceAppChange | null,
    private readonly log: RegistryLog,
  ) {}

  async create(record: AppRecord): Promise<void> {
    await this.store.call('create', (store) => store.create(record));
    await this.publish(record.id, [null, record]);
  }

  async update(record: AppRecord, ifRevision?: string): Promise<void> {
    const stored = await this.store.find({ by: 'id', value: record.id });
    if (stored === null) throw new AppNotFound(record.id);
    const next = stored instanceof BrokenApp ? record : keepUnknownMembers(record, stored);
    await this.store.call('update', (store) => store.update(next, ifRevision));
    await this.publish(record.id, [stored, next]);
  }

  async delete(id: string): Promise<boolean> {
    const stored = await this.store.find({ by: 'id', value: id });
    const deleted = await this.store.call('delete', (store) => store.delete(id));
    if (deleted) await this.publish(id, [stored]);
    return deleted;
  }

  /**
   * Invalidates the cached copies of an app under its previous and current names, and notifies the other nodes. Never
   * rejects: the write is complete, and copies that could not be reached expire with their ttl.
   */
  async publish(appId: string, states: readonly (StoredApp | null)[]): Promise<void> {
    const names = [{ by: 'id', value: appId } as const, ...states.flatMap(namesOf)];
    await this.#drop(appId, names);
    const timer = setTimeout(() => {
      this.#secondDrops.delete(timer);
      void this.#drop(appId, names);
    }, SECOND_DROP_MS).unref();
    this.#secondDrops.add(timer);
    try {
      await within(ANNOUNCE_TIMEOUT_MS, 'announcement', async () => this.announce?.(appId));
    } catch (error) {
      this.log('warn', 'the change of an app could not be announced', { app_id: appId, error });
    }
  }

  stop(): void {
    for (const timer of this.#secondDrops) clearTimeout(timer);
    this.#secondDrops.clear();
  }

  async #drop(appId: string, names: readonly AppReference[]): Promise<void> {
    try {
      await this.cache?.drop(names);
    } catch (error) {
      this.log('warn', 'the cached copy of a changed app could not be deleted', { app_id: appId, error });
    }
  }
}

const namesOf = (stored: StoredApp | null): AppReference[] =>
  stored === null || stored instanceof BrokenApp ? [] : references(stored);
