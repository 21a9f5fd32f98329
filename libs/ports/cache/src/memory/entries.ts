import { isEssential } from '@carillon/contract';
import { CacheFull } from '../failures.js';
import type { MemoryEntry } from './entry.js';
import { ExpiryHeap } from './expiry-heap.js';
import { Recency } from '@carillon/collections';

/**
 * The entries of a memory cache, at most `capacity`. Room for a new one is made of those that expired, then of the
 * least recently used one that may be evicted; without either the write fails with `CacheFull`.
 */
export class MemoryEntries {
  /** In the order they were made, which a change of value keeps. */
  readonly #all = new Map<string, MemoryEntry>();
  readonly #evictable = new Recency<MemoryEntry>();
  readonly #expiring = new ExpiryHeap();
  #made = 0;

  constructor(
    private readonly capacity: number,
    private readonly now: () => number,
  ) {}

  get size(): number {
    return this.#all.size;
  }

  /** The live entry, which counts as used now. */
  find(name: string): MemoryEntry | undefined {
    const entry = this.#all.get(name);
    if (entry === undefined) return undefined;
    if (entry.expiresAtMs <= this.now()) {
      this.remove(entry);
      return undefined;
    }
    if (entry.evictable) this.#evictable.use(entry);
    return entry;
  }

  /** Under a name that has no live entry. Throws `CacheFull`. */
  create(name: string, value: string, ttlMs: number): MemoryEntry {
    this.#makeRoom();
    const entry: MemoryEntry = {
      name,
      order: ++this.#made,
      evictable: !isEssential(name),
      value,
      expiresAtMs: this.#expiry(ttlMs),
      heapIndex: -1,
      older: null,
      newer: null,
    };
    this.#all.set(name, entry);
    if (entry.evictable) this.#evictable.add(entry);
    this.#expiring.place(entry);
    return entry;
  }

  rewrite(entry: MemoryEntry, value: string, ttlMs: number): void {
    entry.value = value;
    entry.expiresAtMs = this.#expiry(ttlMs);
    this.#expiring.place(entry);
  }

  remove(entry: MemoryEntry): void {
    this.#all.delete(entry.name);
    if (entry.evictable) this.#evictable.remove(entry);
    this.#expiring.remove(entry);
  }

  removeExpired(): void {
    const now = this.now();
    for (let entry = this.#expiring.soonest; entry !== undefined; entry = this.#expiring.soonest) {
      if (entry.expiresAtMs > now) return;
      this.remove(entry);
    }
  }

  /** Live entries made after the one of that order, oldest first. Steps over all older ones to get there. */
  *madeAfter(order: number): Iterable<MemoryEntry> {
    const now = this.now();
    for (const entry of this.#all.values()) {
      if (entry.order > order && entry.expiresAtMs > now) yield entry;
    }
  }

  clear(): void {
    for (const entry of this.#all.values()) this.remove(entry);
  }

  #expiry(ttlMs: number): number {
    return ttlMs === 0 ? Infinity : this.now() + ttlMs;
  }

  #makeRoom(): void {
    if (this.#all.size < this.capacity) return;
    this.removeExpired();
    if (this.#all.size < this.capacity) return;
    const { oldest } = this.#evictable;
    if (oldest === null) throw new CacheFull();
    this.remove(oldest);
  }
}
