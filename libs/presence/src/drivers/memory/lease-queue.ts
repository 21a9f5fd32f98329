import type { Lease } from '../../transitions.js';

/**
 * Leases ordered by expiry: a binary heap with an index of positions, so that insertion and removal cost O(log n) and
 * removed leases leave nothing behind. (A `Set` per duration would be simpler, but finding its first entry costs a
 * step for each removed one before it.)
 */
export class LeaseQueue {
  /** Heap order: each expires no later than its two children. */
  readonly #leases: Lease[] = [];
  readonly #places = new Map<Lease, number>();

  get size(): number {
    return this.#leases.length;
  }

  /** Earliest lease; undefined if empty. */
  get first(): Lease | undefined {
    return this.#leases[0];
  }

  add(lease: Lease): void {
    this.#rise(lease, this.#leases.length);
  }

  /** False: it is not there. */
  remove(lease: Lease): boolean {
    const place = this.#places.get(lease);
    if (place === undefined) return false;
    this.#places.delete(lease);
    const last = this.#leases.pop();
    // The last one fills the gap, and may belong above or below it.
    if (last !== undefined && last !== lease) this.#sink(last, this.#rise(last, place));
    return true;
  }

  clear(): void {
    this.#leases.length = 0;
    this.#places.clear();
  }

  /** Puts it there or above; answers where. */
  #rise(lease: Lease, from: number): number {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = this.#leases[above];
      if (parent === undefined || parent.endsAtMs <= lease.endsAtMs) break;
      this.#put(parent, place);
      place = above;
    }
    this.#put(lease, place);
    return place;
  }

  /** Moves it below all that end sooner. */
  #sink(lease: Lease, from: number): void {
    let place = from;
    for (;;) {
      const below = this.#soonerChild(place);
      const child = this.#leases[below];
      if (child === undefined || lease.endsAtMs <= child.endsAtMs) break;
      this.#put(child, place);
      place = below;
    }
    this.#put(lease, place);
  }

  #soonerChild(place: number): number {
    const left = this.#leases[2 * place + 1];
    const right = this.#leases[2 * place + 2];
    const rightIsSooner = left !== undefined && right !== undefined && right.endsAtMs < left.endsAtMs;
    return 2 * place + (rightIsSooner ? 2 : 1);
  }

  #put(lease: Lease, place: number): void {
    this.#leases[place] = lease;
    this.#places.set(lease, place);
  }
}
