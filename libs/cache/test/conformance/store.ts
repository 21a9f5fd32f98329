import type { Cache } from '../../src/index.js';

/** One empty store as a test sees it. */
export interface Store {
  readonly cache: Cache;
  /** The same store as another process has it; for a store inside the process the same object. */
  readonly other: Cache;
  /** Lets that much time go by for the store. */
  pass(ms: number): Promise<void>;
  /** Closes both. */
  end(): Promise<void>;
}

export type OpenStore = () => Promise<Store>;

/** Runs work on a store of its own. */
export const withStore =
  (open: OpenStore, work: (store: Store) => Promise<void>): (() => Promise<void>) =>
  async () => {
    const store = await open();
    try {
      await work(store);
    } finally {
      await store.end();
    }
  };

/** Long enough for no test to see its end. */
export const HOUR_MS = 3_600_000;

/** Every name with the prefix, in the order of the pages and as often as they hold it. */
export async function scanAll(
  cache: Cache,
  prefix: string,
  between?: (page: number) => Promise<void>,
): Promise<string[]> {
  const seen: string[] = [];
  let cursor: string | null = null;
  for (let page = 0; ; page += 1) {
    const next = await cache.scanPrefix(prefix, cursor, 7);
    seen.push(...next.names);
    if (next.cursor === null) return seen;
    cursor = next.cursor;
    await between?.(page);
  }
}
