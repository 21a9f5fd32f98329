import type { PublishStore } from './publishes.js';
import type { ResourceStore } from './resources.js';
import type { CountStore, UpkeepStore } from './upkeep.js';

/**
 * Store of push. Every driver promises:
 * - A resolved change is durable (unless the driver is `memory`) and visible to every process.
 * - A method is atomic, and changes of one row are serialized. Functions passed to it (`decide`) run inside of that
 * step, may be called again on a retry, and must not wait.
 * - Ids are compared byte by byte. Lists are ordered by key and continue after `after`, so that concurrent changes
 * move nothing; `after` null starts. They have at most `limit` items, 1 to 1000 unless stated otherwise.
 * - The caller supplies the time.
 * - Encrypted text is opaque.
 * - Rejects with `PushStoreUnavailable` if unreachable; whether a change happened is then unknown, and each may be
 * repeated.
 */
export interface PushStore extends ResourceStore, PublishStore, UpkeepStore, CountStore {
  /** Configured driver. */
  readonly driver: string;
  /** Whether it outlives the process. */
  readonly durable: boolean;
  connect(): Promise<void>;
  /** Rejects when the store does not answer. */
  health(): Promise<void>;
  /** Idempotent, never rejects. */
  close(): Promise<void>;
}

/** The store cannot be asked. */
export class PushStoreUnavailable extends Error {
  override readonly name = 'PushStoreUnavailable';
}
