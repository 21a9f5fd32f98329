import type { AppRecord } from '@carillon/config';
import { AppChangeListeners, type AppChangeListener } from './app-change.js';
import { AppIndex, type IndexAges } from './app-index.js';
import { AppLookup } from './app-lookup.js';
import { AppSource } from './app-source.js';
import { AppWriter } from './app-writer.js';
import type { App } from './app.js';
import { BoundedStore } from './bounded-store.js';
import { BrokenAppLog } from './broken-apps.js';
import { AppStoreUnavailable } from './failures.js';
import { FreshReads } from './fresh-reads.js';
import { MissingApps } from './missing-apps.js';
import type { AnnounceAppChange, AppRegistryOptions, RegistryLog } from './options.js';
import { BrokenApp, type AppPage, type AppPageRequest, type AppStore, type RevisedApp } from './port.js';
import { Refresh } from './refresh.js';
import { registerInlineApps } from './register-inline-apps.js';
import { CachedApps, type SharedAppCache } from './shared-app-cache.js';

/** Dependencies of the registry. */
export interface AppRegistryParts {
  readonly store: AppStore;
  /** Absent: every miss of the process index queries the store. */
  readonly cache?: SharedAppCache | null | undefined;
  /** Absent: there are no other nodes, or this one may not speak to them. */
  readonly announce?: AnnounceAppChange | null | undefined;
  /** Absent: nothing is logged. */
  readonly log?: RegistryLog | null | undefined;
  /** Called with the id of every app that is added to the index; possibly again after it was evicted. */
  readonly onKnown?: ((appId: string) => void) | undefined;
  /** Milliseconds that never go back. */
  readonly now?: (() => number) | undefined;
}

const INDEX_CAPACITY = 10_000;
const STORE_TIMEOUT_MS = 5000;
const PAGE = 500;

/**
 * Finds the app of an id or a key: process index, then shared cache, then store. Disabled apps are found like others;
 * the caller decides how to handle them. No other method may be called before `start`.
 */
export class AppRegistry {
  readonly #index: AppIndex;
  readonly #store: BoundedStore;
  readonly #broken: BrokenAppLog;
  readonly #listeners: AppChangeListeners;
  readonly #onKnown = new Set<(app: App) => void>();
  readonly #lookup: AppLookup;
  readonly #writer: AppWriter;
  readonly #refresh: Refresh;
  readonly #freshReads: FreshReads;

  constructor(
    private readonly options: AppRegistryOptions,
    private readonly parts: AppRegistryParts,
  ) {
    const { cache: ages, globals, indexCapacity, storeTimeoutMs } = options;
    const { store } = parts;
    const log = parts.log ?? (() => {});
    const now = parts.now ?? (() => performance.now());
    const caching = ages.enabled && !store.local;
    const cache = caching && parts.cache ? new CachedApps(parts.cache, ages.ttl) : null;
    this.#index = new AppIndex(indexCapacity ?? INDEX_CAPACITY, indexAges(options, store), now);
    this.#store = new BoundedStore(store, storeTimeoutMs ?? STORE_TIMEOUT_MS);
    this.#broken = new BrokenAppLog(log, now);
    this.#listeners = new AppChangeListeners(log);
    this.#lookup = new AppLookup({
      index: this.#index,
      missing: new MissingApps(
        caching ? Math.min(ages.negative_ttl, options.maxIndexAgeSeconds ?? Infinity) * 1000 : 0,
        now,
      ),
      source: new AppSource(this.#store, cache, this.#broken),
      listeners: this.#listeners,
      globals,
      log,
      onKnown: (app) => {
        parts.onKnown?.(app.id);
        for (const listener of this.#onKnown) listener(app);
      },
    });
    this.#freshReads = new FreshReads((appId) => this.#lookup.reread(appId), now);
    // A local store is not visible to other nodes, so nothing is announced.
    const announce = store.local ? null : (parts.announce ?? null);
    this.#writer = new AppWriter(this.#store, cache, announce, log);
    this.#refresh = new Refresh(this.#store, this.#lookup, log);
  }

  /**
   * Connects the store, registers the inline apps and fills the index. Rejects if any step fails and may then be
   * called again; only an `AppConflict` is permanent. The caller sets the timeout.
   */
  async start(): Promise<void> {
    const { store } = this.parts;
    const { inlineApps, registerInlineApps: register, cache } = this.options;
    await store.init();
    const written = register ? await registerInlineApps(store, inlineApps) : [];
    for (const { before, after } of written) await this.#writer.publish(after.id, [before, after]);
    await this.#refresh.begin();
    await this.#warm();
    if (cache.refresh_interval > 0) this.#refresh.every(cache.refresh_interval * 1000);
  }

  /** Stops every timer and releases the store. */
  async close(): Promise<void> {
    this.#refresh.stop();
    this.#writer.stop();
    await this.parts.store.close();
  }

  /** Returns the app if the index has a fresh entry; undefined does not mean that it does not exist. */
  peekById(id: string): App | undefined {
    return this.#index.fresh({ by: 'id', value: id });
  }

  /** Like `peekById`. */
  peekByKey(key: string): App | undefined {
    return this.#index.fresh({ by: 'key', value: key });
  }

  /** Returns null if the app does not exist; rejects with `AppLookupUnavailable` if that cannot be determined. */
  async findById(id: string): Promise<App | null> {
    return this.#lookup.find({ by: 'id', value: id });
  }

  /** Like `findById`. */
  async findByKey(key: string): Promise<App | null> {
    return this.#lookup.find({ by: 'key', value: key });
  }

  /** Returns a page of the stored apps. Rejects with `AppStoreUnavailable`. */
  async list(page: AppPageRequest): Promise<AppPage> {
    return this.#store.call('list', (store) => store.list(page));
  }

  /**
   * Returns the app as the store holds it after this call, for a signature that matches no known secret; null if it does
   * not exist. Undefined where the store has nothing newer than this process, or too many callers wait. Rejects with
   * `AppLookupUnavailable`.
   */
  fresh(appId: string): Promise<App | null> | undefined {
    return this.parts.store.local ? undefined : this.#freshReads.of(appId);
  }

  /** The stored app with its revision, past every copy. Rejects with `AppStoreUnavailable`. */
  async read(id: string): Promise<RevisedApp | null> {
    return this.#store.call('read', (store) => store.read(id));
  }

  /** Whether only this process, and only until its end, sees changes. */
  get isLocal(): boolean {
    return this.parts.store.local;
  }

  /** Rejects with `AppConflict` or `AppStoreUnavailable`. Every node knows when it resolves or soon after. */
  async create(record: AppRecord): Promise<void> {
    await this.#writer.create(record);
    await this.#lookup.changed(record.id);
  }

  /**
   * Replaces the app of that id, keeping members of the stored record that this version does not know. Rejects with
   * `AppNotFound`, `AppConflict` or `AppStoreUnavailable`; with `ifRevision` also with `AppChanged`.
   */
  async update(record: AppRecord, ifRevision?: string): Promise<void> {
    await this.#writer.update(record, ifRevision);
    await this.#lookup.changed(record.id);
  }

  /** False when there was no such app. Rejects with `AppStoreUnavailable`. */
  async delete(id: string): Promise<boolean> {
    const deleted = await this.#writer.delete(id);
    if (deleted) await this.#lookup.changed(id);
    return deleted;
  }

  /**
   * Handles the control message `app_changed` of another node: evicts the app, reads it again and notifies listeners.
   * Never rejects.
   */
  async appChanged(appId: string): Promise<void> {
    await this.#lookup.changed(appId);
  }

  /**
   * Adds a listener for changed apps, including disabled and deleted ones. It is called as soon as this node learns
   * of a change, possibly twice for the same one. Returns a function that removes it.
   */
  onChange(listener: AppChangeListener): () => void {
    return this.#listeners.add(listener);
  }

  /**
   * Adds a listener for every app that is added to the index, including those at start; possibly again after an
   * eviction. It must not throw. Returns a function that removes it.
   */
  onKnown(listener: (app: App) => void): () => void {
    this.#onKnown.add(listener);
    return () => this.#onKnown.delete(listener);
  }

  /** Apps in the index of this process. */
  knownApps(): number {
    return this.#index.size;
  }

  /** Rejects when the store is not healthy or not one app is known. */
  async health(): Promise<void> {
    await this.#store.call('health', (store) => store.health());
    if (this.knownApps() === 0) await this.#warm();
    if (this.knownApps() === 0) throw new AppStoreUnavailable('not one app is known');
  }

  /** Fills the index from the store, as far as it has room. */
  async #warm(): Promise<void> {
    const capacity = this.options.indexCapacity ?? INDEX_CAPACITY;
    for (let cursor: string | null = null, read = 0; read < capacity; read += PAGE) {
      const from: string | null = cursor;
      const page: AppPage = await this.#store.call('list', (store) =>
        store.list({ limit: PAGE, cursor: from }),
      );
      for (const stored of page.apps.slice(0, capacity - read)) {
        if (stored instanceof BrokenApp) this.#broken.say(stored);
        else this.#lookup.keep(stored);
      }
      if (page.next === null) return;
      cursor = page.next;
    }
  }
}

function indexAges({ cache, maxIndexAgeSeconds }: AppRegistryOptions, store: AppStore): IndexAges {
  if (store.local) return { freshMs: Infinity, staleMs: 0 };
  if (!cache.enabled) return { freshMs: 0, staleMs: 0 };
  const ttl = cache.ttl === 0 ? Infinity : cache.ttl;
  return {
    freshMs: Math.min(ttl, maxIndexAgeSeconds ?? Infinity) * 1000,
    staleMs: cache.stale_if_error * 1000,
  };
}
