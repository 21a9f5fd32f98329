import type { Aging } from '@carillon/collections';

/** One entry of the memory cache. */
export interface MemoryEntry extends Aging<MemoryEntry> {
  readonly name: string;
  /** Grows with every entry made: what a scan orders by. */
  readonly order: number;
  /** False for names on which security or correctness hangs. */
  readonly evictable: boolean;
  value: string;
  /** On the clock of the cache; `Infinity` never expires. */
  expiresAtMs: number;
  /** Where it stands in the expiry heap; -1 outside. */
  heapIndex: number;
}
