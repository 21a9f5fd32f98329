import { essentialOwner } from '@carillon/contracts';
import { CacheFull } from '../failures.js';
import type { MemoryEntry } from './entry.js';
import { ExpiryHeap } from './expiry-heap.js';
import { KeptRoom } from './kept-room.js';
import { Recency } from '@carillon/collections';

/** Size of an entry besides its texts. */
const OVERHEAD_BYTES = 250;

const bytesOf = (name: string, value: string): number => OVERHEAD_BYTES + 2 * (name.length + value.length);

/**
 * The entries of a memory cache. Those that may be evicted are at most `capacity`, and `mostBytes`: room for a new one is
 * made of those that expired, then of the least recently used. Those that may not have as many bytes of their own, an app
 * its share of them; beyond, a new one fails with `CacheFull` until others have expired.
 */
export class MemoryEntries {
  /** In the order they were made, which a change of value keeps. */
  readonly #all = new Map<string, MemoryEntry>();
  readonly #evictable = new Recency<MemoryEntry>();
  readonly #expiring = new ExpiryHeap();
  readonly #kept: KeptRoom;
  #made = 0;
  #passing = 0;
  #passingBytes = 0;

  constructor(
    private readonly capacity: number,
    private readonly mostBytes: number,
    private readonly now: () => number,
  ) {
    this.#kept = new KeptRoom(mostBytes);
  }

  /** Bytes of entries that may not be evicted. */
  get keptBytes(): number {
    return this.#kept.usedBytes;
  }

  /** Bytes of entries that may. */
  get passingBytes(): number {
    return this.#passingBytes;
  }

  /** Whether hardly any entry that may not be evicted finds room. */
  get isFull(): boolean {
    if (!this.#kept.isFull) return false;
    this.removeExpired();
    return this.#kept.isFull;
  }

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
    if (entry.owner === null) this.#evictable.use(entry);
    return entry;
  }

  /** Under a name that has no live entry. Throws `CacheFull`. */
  create(name: string, value: string, ttlMs: number): MemoryEntry {
    const owner = essentialOwner(name);
    const bytes = bytesOf(name, value);
    if (owner === null) this.#makeRoom(bytes);
    else this.#mustFit(owner, bytes);
    const entry: MemoryEntry = {
      name,
      order: ++this.#made,
      owner,
      bytes,
      value,
      expiresAtMs: this.#expiry(ttlMs),
      heapIndex: -1,
      older: null,
      newer: null,
    };
    this.#all.set(name, entry);
    if (owner === null) this.#evictable.add(entry);
    this.#count(entry, 1, bytes);
    this.#expiring.place(entry);
    return entry;
  }

  rewrite(entry: MemoryEntry, value: string, ttlMs: number): void {
    const bytes = bytesOf(entry.name, value);
    this.#count(entry, 0, bytes - entry.bytes);
    entry.bytes = bytes;
    entry.value = value;
    entry.expiresAtMs = this.#expiry(ttlMs);
    this.#expiring.place(entry);
  }

  remove(entry: MemoryEntry): void {
    this.#all.delete(entry.name);
    if (entry.owner === null) this.#evictable.remove(entry);
    this.#count(entry, -1, -entry.bytes);
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

  #count({ owner }: MemoryEntry, entries: number, bytes: number): void {
    if (owner !== null) return this.#kept.take(owner, bytes);
    this.#passing += entries;
    this.#passingBytes += bytes;
  }

  #makeRoom(bytes: number): void {
    if (!this.#isCrowded(bytes)) return;
    this.removeExpired();
    for (let { oldest } = this.#evictable; oldest !== null && this.#isCrowded(bytes);) {
      this.remove(oldest);
      ({ oldest } = this.#evictable);
    }
  }

  #isCrowded(bytes: number): boolean {
    return this.#passing >= this.capacity || this.#passingBytes + bytes > this.mostBytes;
  }

  #mustFit(owner: string, bytes: number): void {
    if (this.#kept.has(owner, bytes)) return;
    this.removeExpired();
    if (!this.#kept.has(owner, bytes)) throw new CacheFull(owner);
  }
}
