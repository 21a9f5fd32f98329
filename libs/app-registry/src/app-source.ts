import type { AppRecord } from '@carillon/config';
import { cacheKey, type AppReference } from './app-reference.js';
import type { BoundedStore } from './bounded-store.js';
import type { BrokenAppLog } from './broken-apps.js';
import { AppStoreUnavailable } from './failures.js';
import { BrokenApp } from './port.js';
import type { CachedApps } from './shared-app-cache.js';

/** The result of a lookup outside this process. */
export type Found =
  | { readonly state: 'found'; readonly record: AppRecord; readonly from: 'cache' | 'store' }
  | { readonly state: 'missing' }
  /** The record is stored but cannot be read. Answered like `missing`, but sockets stay open. */
  | { readonly state: 'broken' };

/** The limit of concurrent lookups. Names are chosen by untrusted clients and must not exhaust the store. */
const MAX_LOOKUPS = 1000;

/** Reads apps from the shared cache, then from the store. Concurrent lookups of one name share one result. */
export class AppSource {
  readonly #underWay = new Map<string, Promise<unknown>>();

  constructor(
    private readonly store: BoundedStore,
    private readonly cache: CachedApps | null,
    private readonly broken: BrokenAppLog,
  ) {}

  /**
   * Runs `read`, or joins a running one for the same name. Rejects with `AppStoreUnavailable` if too many are
   * running.
   */
  async once<T>(reference: AppReference, read: () => Promise<T>): Promise<T> {
    const name = cacheKey(reference);
    const running = this.#underWay.get(name) as Promise<T> | undefined;
    if (running !== undefined) return running;
    if (this.#underWay.size >= MAX_LOOKUPS) throw new AppStoreUnavailable('too many app lookups at once');
    const started = read().finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, started);
    return started;
  }

  async find(reference: AppReference): Promise<Found> {
    const cached = await this.cache?.get(reference);
    if (cached !== undefined) return { state: 'found', record: cached, from: 'cache' };
    return this.findInStore(reference);
  }

  /** Leaves a record of the store in the cache, for other nodes; in the background and without promise. */
  share(record: AppRecord): void {
    void this.cache?.put(record);
  }

  /** Takes the copies under these names out of the cache; in the background and without promise. */
  forget(names: readonly AppReference[]): void {
    void this.cache?.drop(names).catch(() => undefined);
  }

  async findInStore(reference: AppReference): Promise<Found> {
    const stored = await this.store.find(reference);
    if (stored === null) return { state: 'missing' };
    if (!(stored instanceof BrokenApp)) return { state: 'found', record: stored, from: 'store' };
    this.broken.say(stored);
    return { state: 'broken' };
  }
}
