import type { Receipt } from '../model/receipt.js';

/** Oldest receipts checked per new one: more than one, so that expired receipts never accumulate. */
const LOOKED_AT = 2;

/** Receipts of one process by scope, let go of some time after they have expired. */
export class MemoryReceipts {
  readonly #receipts = new Map<string, Receipt>();

  get size(): number {
    return this.#receipts.size;
  }

  find(scope: string, sinceMs: number): Receipt | undefined {
    const receipt = this.#receipts.get(scope);
    return receipt === undefined || receipt.atMs < sinceMs ? undefined : receipt;
  }

  /** The newest receipt of every stream that has one since then. */
  streamsSince(sinceMs: number): Set<string> {
    const recent = [...this.#receipts.values()].filter(({ atMs }) => atMs >= sinceMs);
    return new Set(recent.map(({ streamKey }) => streamKey));
  }

  /** Removes expired receipts written before the given time; returns their number. */
  removeBefore(beforeMs: number, nowMs: number): number {
    let removed = 0;
    for (const [scope, { atMs, untilMs }] of this.#receipts) {
      if (atMs >= beforeMs || untilMs + KEPT_LONGER_MS > nowMs) continue;
      this.#receipts.delete(scope);
      removed += 1;
    }
    return removed;
  }

  add(receipt: Receipt, nowMs: number): void {
    this.#receipts.delete(receipt.scope);
    this.#receipts.set(receipt.scope, receipt);
    const oldest = this.#receipts.values();
    for (let looked = 0; looked < LOOKED_AT; looked += 1) {
      const next = oldest.next();
      if (next.done === true || next.value.scope === receipt.scope) return;
      this.#receipts.delete(next.value.scope);
      // One that is still good goes to the end, so that others are looked at next time.
      if (next.value.untilMs + KEPT_LONGER_MS > nowMs) this.#receipts.set(next.value.scope, next.value);
    }
  }
}

/** A resend of the very same record is answered a little longer than a key is. */
const KEPT_LONGER_MS = 10_000;
