import type { PublishStore } from './publishes.js';
import type { ResourceStore } from './resources.js';
import type { CountStore, UpkeepStore } from './upkeep.js';

/**
 * Where push keeps everything. Every driver promises:
 *
 * - What resolved is kept (unless the driver is `memory`) and seen by every process.
 * - A method is one step: it happens whole or not at all, and two of one row happen one after the other. Functions
 *   given to it (`decide`) are called inside of that step, may be called again when it has to be repeated, and must not
 *   wait.
 * - Ids are told apart byte by byte. Lists ascend by their key and go on after `after`, so that what comes and goes in
 *   between moves nothing; `after` null begins. They have at most `limit` items, 1 to 1000 unless said otherwise.
 * - It does not know the time: whoever calls says it.
 * - Sealed text is not looked into.
 * - Rejects with `PushStoreUnavailable` when it cannot be asked; whether a change happened is then unknown, and each may
 *   be made again.
 */
export interface PushStore extends ResourceStore, PublishStore, UpkeepStore, CountStore {
  /** As configured. */
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
