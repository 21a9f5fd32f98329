import { parseAppRecord, serializeAppRecord, type AppRecord } from '@carillon/config';
import { cacheKey, type AppReference } from './app-reference.js';
import { within } from './time-bound.js';

/** The cache shared by the nodes, reduced to the operations for app records. Absent if there is none. */
export interface SharedAppCache {
  get(key: string): Promise<string | null>;
  /** 0 seconds never expires. */
  set(key: string, value: string, ttlSeconds: number): Promise<void>;
  delete(keys: readonly string[]): Promise<void>;
}

/** A cache slower than this is slower than the store. */
const USE_TIMEOUT_MS = 100;
/** A record that stays cached by mistake stays wrong for a whole ttl, so deleting may take longer. */
const DELETE_TIMEOUT_MS = 1000;

/** App records in the shared cache: a help that may fail at any moment, never an authority. */
export class CachedApps {
  constructor(
    private readonly cache: SharedAppCache,
    private readonly ttlSeconds: number,
  ) {}

  /** Returns undefined if it is not cached, cannot be read or the read times out. */
  async get(reference: AppReference): Promise<AppRecord | undefined> {
    try {
      const text = await within(USE_TIMEOUT_MS, 'cache read', () => this.cache.get(cacheKey(reference)));
      if (text === null) return undefined;
      const { record } = parseAppRecord(JSON.parse(text), '');
      return record !== null && record[reference.by] === reference.value ? record : undefined;
    } catch {
      return undefined;
    }
  }

  /** Under both names; never rejects, a failure leaves the next lookup to the store. */
  async put(record: AppRecord): Promise<void> {
    const text = JSON.stringify(serializeAppRecord(record));
    const writes = references(record).map((one) =>
      within(USE_TIMEOUT_MS, 'cache write', () => this.cache.set(cacheKey(one), text, this.ttlSeconds)),
    );
    await Promise.allSettled(writes);
  }

  /** Rejects if their deletion is not certain. */
  async drop(all: readonly AppReference[]): Promise<void> {
    await within(DELETE_TIMEOUT_MS, 'cache delete', () => this.cache.delete(all.map(cacheKey)));
  }
}

/** Both names of an app. */
export const references = ({ id, key }: Pick<AppRecord, 'id' | 'key'>): AppReference[] => [
  { by: 'id', value: id },
  { by: 'key', value: key },
];
