import type { AppReference } from './app-reference.js';
import type { App } from './app.js';

/** Age limits of the entries in the process index. */
export interface IndexAges {
  /** An entry younger than this is used unasked; Infinity for ever. */
  readonly freshMs: number;
  /** The additional age up to which an entry may be served while the store fails. */
  readonly staleMs: number;
}

interface Entry {
  readonly app: App;
  readonly since: number;
  /** Used unasked until then although it is old, because the store just failed. */
  until: number;
  /** Used since the last look for room; such an entry is spared once. */
  used: boolean;
}

/** After a failure the store is left alone for this long by lookups that have a stale answer. */
const STORE_PAUSE_MS = 1000;

/** The apps this process knows, by id and by key; bounded, the oldest unused one makes room. */
export class AppIndex {
  readonly #byId = new Map<string, Entry>();
  readonly #byKey = new Map<string, Entry>();

  constructor(
    private readonly capacity: number,
    private readonly ages: IndexAges,
    private readonly now: () => number,
  ) {}

  get size(): number {
    return this.#byId.size;
  }

  /** Returns the app if its entry is fresh, so that no lookup is needed. */
  fresh({ by, value }: AppReference): App | undefined {
    const entry = (by === 'id' ? this.#byId : this.#byKey).get(value);
    if (entry === undefined) return undefined;
    const now = this.now();
    if (now - entry.since >= this.ages.freshMs && now >= entry.until) return undefined;
    entry.used = true;
    return entry.app;
  }

  /** The app as last known, however long ago. */
  last({ by, value }: AppReference): App | undefined {
    return (by === 'id' ? this.#byId : this.#byKey).get(value)?.app;
  }

  /**
   * Returns the stale app to serve after the store failed. For a short time it then also counts as fresh, without
   * another lookup.
   */
  inPlaceOfStore({ by, value }: AppReference): App | undefined {
    const entry = (by === 'id' ? this.#byId : this.#byKey).get(value);
    if (entry === undefined) return undefined;
    const now = this.now();
    const goodUntil = entry.since + this.ages.freshMs + this.ages.staleMs;
    if (this.ages.staleMs === 0 || now > goodUntil) return undefined;
    entry.until = Math.min(now + STORE_PAUSE_MS, goodUntil);
    return entry.app;
  }

  put(app: App): void {
    this.drop(app.id);
    this.#makeRoom();
    const entry = { app, since: this.now(), until: 0, used: false };
    this.#byId.set(app.id, entry);
    this.#byKey.set(app.key, entry);
  }

  drop(id: string): void {
    const entry = this.#byId.get(id);
    if (entry === undefined) return;
    this.#byId.delete(id);
    if (this.#byKey.get(entry.app.key) === entry) this.#byKey.delete(entry.app.key);
  }

  #makeRoom(): void {
    while (this.#byId.size >= this.capacity) {
      const [id, entry] = this.#byId.entries().next().value ?? [];
      if (id === undefined || entry === undefined) return;
      if (!entry.used) {
        this.drop(id);
        continue;
      }
      entry.used = false;
      this.#byId.delete(id);
      this.#byId.set(id, entry);
    }
  }
}
