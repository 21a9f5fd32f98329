import { UuidList } from '@carillon/collections';
import type { CommitResult } from '@carillon/contracts';
import { Entry } from './entry.js';
import { PackedAnswers } from './packed-answers.js';

/** A waiting record or its result. Null: the result may differ next time, so it is not stored. */
type Known = Entry | CommitResult | null;

/** Records by their `pub_id`, of one span of time. */
export class KnownGeneration {
  readonly #ids = new UuidList();
  readonly #packed = new PackedAnswers();
  /** By the numbers of their ids; absent: the answer is packed. */
  readonly #others: (Known | undefined)[] = [];

  get size(): number {
    return this.#ids.size;
  }

  find(pubId: string): Known {
    const number = this.#ids.numberOf(pubId);
    if (number === null) return null;
    const other = this.#others[number];
    return other === undefined ? this.#packed.at(number, pubId) : other;
  }

  add(entry: Entry): void {
    this.#others[this.#ids.add(entry.pubId)] = entry;
  }

  /** Ignores results of records that were not added. */
  answered(result: CommitResult): void {
    const number = this.#ids.numberOf(result.pub_id);
    if (number === null) return;
    if (result.status === 'expired' || result.status === 'skipped') this.#others[number] = null;
    else this.#others[number] = this.#packed.put(number, result) ? undefined : result;
  }

  /** Removes and returns the waiting entries. */
  takeWaiting(): readonly Entry[] {
    const waiting: Entry[] = [];
    for (const [number, other] of this.#others.entries()) {
      if (!(other instanceof Entry)) continue;
      waiting.push(other);
      this.#others[number] = null;
    }
    return waiting;
  }

  clear(): void {
    this.#ids.clear();
    this.#packed.clear();
    // Its room stays: as much will be needed again.
    this.#others.fill(undefined);
  }
}
