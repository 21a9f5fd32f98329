import type { Aging } from '@carillon/collections';

/** One entry of the memory cache. */
export interface MemoryEntry extends Aging<MemoryEntry> {
  readonly name: string;
  /** Increases with every created entry: the order of scans. */
  readonly order: number;
  /** Owning app of an entry required for security or correctness; null: evictable. */
  readonly owner: string | null;
  /** Accounted size. */
  bytes: number;
  value: string;
  /** On the clock of the cache; `Infinity` never expires. */
  expiresAtMs: number;
  /** Index in the expiry heap; -1 outside. */
  heapIndex: number;
}
