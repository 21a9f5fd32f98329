import type { AppRecord } from '@carillon/config';
import type { AppChangeListeners } from './app-change.js';
import type { AppIndex } from './app-index.js';
import { isPossible, type AppReference } from './app-reference.js';
import type { AppSource, Found } from './app-source.js';
import { App } from './app.js';
import type { GlobalLimits } from './effective-limits.js';
import { AppLookupUnavailable } from './failures.js';
import type { MissingApps } from './missing-apps.js';
import type { RegistryLog } from './options.js';
import { sameRecord } from './register-inline-apps.js';
import { references } from './shared-app-cache.js';

/** Dependencies of {@link AppLookup}. */
export interface AppLookupParts {
  readonly index: AppIndex;
  readonly missing: MissingApps;
  readonly source: AppSource;
  readonly listeners: AppChangeListeners;
  readonly globals: GlobalLimits;
  readonly log: RegistryLog;
  /** Called for every app that is added to the index. */
  readonly onKnown: (app: App) => void;
}

/** Reads of one app before giving up on a moment without changes. */
const MAX_READS = 3;
/**
 * The limit of changes announced while the store was unavailable, which are processed later. The oldest is dropped
 * first.
 */
const MAX_UNSEEN = 10_000;

const byId = (value: string): AppReference => ({ by: 'id', value });

/** Keeps the process index true: fills it from outside on a miss, and learns of changes. */
export class AppLookup {
  /** Counts announced changes of any app, so that a read that one overtook is noticed. */
  #changes = 0;
  /** The latest change of each app that is being read; an earlier one leaves the word to it. */
  readonly #turns = new Map<string, symbol>();
  readonly #unseen = new Set<string>();

  constructor(private readonly parts: AppLookupParts) {}

  /** See `AppRegistry.findById`. */
  async find(reference: AppReference): Promise<App | null> {
    const { index, missing, source } = this.parts;
    const fresh = index.fresh(reference);
    if (fresh !== undefined) return fresh;
    if (!isPossible(reference) || missing.has(reference)) return null;
    try {
      return await source.once(reference, () => this.#load(reference));
    } catch (thrown) {
      const stale = index.inPlaceOfStore(reference);
      if (stale !== undefined) return stale;
      throw new AppLookupUnavailable(thrown);
    }
  }

  /** Puts an app that was just read into the index. */
  keep(record: AppRecord, last = this.parts.index.last(byId(record.id))): App {
    const { index, missing, listeners, globals, onKnown } = this.parts;
    const known = index.last(byId(record.id)) ?? last;
    const app = known !== undefined && sameRecord(known.record, record) ? known : new App(record, globals);
    index.put(app);
    if (known === undefined) onKnown(app);
    missing.drop(references(app));
    const unseen = this.#unseen.delete(app.id);
    if (unseen || (last !== undefined && last !== app)) listeners.tell({ appId: app.id, app });
    return app;
  }

  /** Evicts an app and reads it again. Never rejects; an app that cannot be read now is retried later. */
  async changed(appId: string): Promise<void> {
    const { index, missing, log } = this.parts;
    const reference = byId(appId);
    if (!isPossible(reference)) return;
    const turn = Symbol(appId);
    this.#turns.set(appId, turn);
    this.#changes++;
    const last = index.last(reference);
    index.drop(appId);
    missing.drop([reference]);
    try {
      const found = await this.parts.source.findInStore(reference);
      if (this.#turns.get(appId) === turn) this.#seen(appId, found, last);
    } catch (error) {
      const [oldest] = this.#unseen;
      if (this.#unseen.size >= MAX_UNSEEN && oldest !== undefined) this.#unseen.delete(oldest);
      this.#unseen.add(appId);
      log('warn', 'an app changed but could not be read', { app_id: appId, error });
    } finally {
      if (this.#turns.get(appId) === turn) this.#turns.delete(appId);
    }
  }

  #seen(appId: string, found: Found, last: App | undefined): void {
    const { listeners } = this.parts;
    this.#unseen.delete(appId);
    if (found.state === 'missing') listeners.tell({ appId, app: null });
    if (found.state !== 'found') return;
    const app = this.keep(found.record, last);
    if (last === undefined) listeners.tell({ appId, app });
  }

  /**
   * Like `changed`, for an app that was written by another program, which did not invalidate the shared cache.
   * Invalidates the cached copies under its previous and current names.
   */
  async changedOutside(appId: string): Promise<void> {
    const { index, source } = this.parts;
    const reference = byId(appId);
    const before = index.last(reference);
    await this.changed(appId);
    const names = [before, index.last(reference)].flatMap((app) =>
      app === undefined ? [] : references(app),
    );
    source.forget([reference, ...names]);
  }

  /**
   * Reads an app from the store, past every copy. Null if it does not exist.
   *
   * @throws AppLookupUnavailable
   */
  async reread(appId: string): Promise<App | null> {
    const { index, source, globals } = this.parts;
    const reference = byId(appId);
    const [changes, last] = [this.#changes, index.last(reference)];
    const found = await source.findInStore(reference).catch((thrown: unknown) => {
      throw new AppLookupUnavailable(thrown);
    });
    // A result that was overtaken by a change may be stale and is not cached.
    if (changes !== this.#changes) return found.state === 'found' ? new App(found.record, globals) : null;
    if (found.state === 'missing') index.drop(appId);
    this.#seen(appId, found, last);
    const app = found.state === 'found' ? (index.last(reference) ?? null) : null;
    const isOld = last !== undefined && last !== app;
    if (isOld) source.forget([reference, ...references(last), ...(app === null ? [] : references(app))]);
    return app;
  }

  /** Reads the apps again whose change could not be processed, until the store fails again. */
  async retryUnseen(): Promise<void> {
    for (const appId of this.#unseen) {
      await this.changed(appId);
      if (this.#unseen.has(appId)) return;
    }
  }

  async #load(reference: AppReference): Promise<App | null> {
    const { source, globals } = this.parts;
    for (let reads = 1; ; reads++) {
      const before = this.#changes;
      // While a change is being processed, the shared cache may still hold the previous state.
      const found = await (this.#turns.size > 0 ? source.findInStore(reference) : source.find(reference));
      if (before === this.#changes) return this.#learn(reference, found);
      // A result that was overtaken by a change may be stale: it is read again, or at least not cached.
      if (reads === MAX_READS) return found.state === 'found' ? new App(found.record, globals) : null;
    }
  }

  #learn(reference: AppReference, found: Found): App | null {
    if (found.state !== 'found') return this.#miss(reference, found);
    if (found.from === 'store') this.parts.source.share(found.record);
    return this.keep(found.record);
  }

  #miss(reference: AppReference, found: Found): null {
    const { index, missing, listeners } = this.parts;
    missing.add(reference);
    if (found.state === 'broken') return null;
    const last = index.last(reference);
    if (reference.by === 'key') {
      // A missing key may have been replaced by another one; only a lookup by id shows whether the app was deleted.
      if (last !== undefined) void this.changed(last.id);
      return null;
    }
    const unseen = this.#unseen.delete(reference.value);
    index.drop(reference.value);
    if (unseen || last !== undefined) listeners.tell({ appId: reference.value, app: null });
    return null;
  }
}
