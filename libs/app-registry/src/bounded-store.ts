import type { AppReference } from './app-reference.js';
import { AppChanged, AppConflict, AppNotFound, AppNotStorable, AppStoreUnavailable } from './failures.js';
import type { AppStore, StoredApp } from './port.js';
import { within } from './time-bound.js';

/** The errors that the port permits a store to throw. */
const NAMED = [AppChanged, AppConflict, AppNotFound, AppNotStorable, AppStoreUnavailable];

/**
 * A store whose every answer comes in time: one that is late, or fails in a way the port does not name, is
 * `AppStoreUnavailable`.
 */
export class BoundedStore {
  constructor(
    private readonly store: AppStore,
    private readonly timeoutMs: number,
  ) {}

  async call<T>(what: string, work: (store: AppStore) => Promise<T>): Promise<T> {
    try {
      return await within(this.timeoutMs, `app store: ${what}`, () => work(this.store));
    } catch (thrown) {
      if (NAMED.some((failure) => thrown instanceof failure)) throw thrown;
      throw new AppStoreUnavailable(`app store failed: ${what}`, { cause: thrown });
    }
  }

  find({ by, value }: AppReference): Promise<StoredApp | null> {
    return this.call('find', (store) => (by === 'id' ? store.findById(value) : store.findByKey(value)));
  }
}
