import type { Aging } from '@carillon/collections';

/** One entry of the memory cache. */
export interface MemoryEntry extends Aging<MemoryEntry> {
  readonly name: string;
  /** Grows with every entry made: what a scan orders by. */
  readonly order: number;
  /** Whose it is when security or correctness hangs on it; null: it may be evicted. */
  readonly owner: string | null;
  /** What it counts as. */
  bytes: number;
  value: string;
  /** On the clock of the cache; `Infinity` never expires. */
  expiresAtMs: number;
  /** Where it stands in the expiry heap; -1 outside. */
  heapIndex: number;
}
