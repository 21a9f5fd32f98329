import { type Aging, Recency } from '@carillon/collections';
import { SlidingLog } from './sliding-log.js';

/** Looked at for every new subject, so that those which stay away go sooner than new ones come. */
const LOOKED_AT = 2;

interface Subject extends Aging<Subject> {
  readonly name: string;
  readonly log: SlidingLog;
}

/** The logs of the subjects used last, at most `capacity`; the least recently used one goes first. */
export class Subjects {
  readonly #subjects = new Map<string, Subject>();
  readonly #recency = new Recency<Subject>();

  constructor(private readonly capacity: number) {}

  get size(): number {
    return this.#subjects.size;
  }

  /** The log of a subject, which counts as used now. */
  use(name: string, nowMs: number): SlidingLog {
    const known = this.#subjects.get(name);
    if (known !== undefined) {
      this.#recency.use(known);
      return known.log;
    }
    this.#forget(nowMs);
    const subject: Subject = { name, log: new SlidingLog(), older: null, newer: null };
    this.#subjects.set(name, subject);
    this.#recency.add(subject);
    return subject.log;
  }

  #forget(nowMs: number): void {
    for (let looked = 0; looked < LOOKED_AT; looked += 1) {
      const { oldest } = this.#recency;
      if (oldest === null) return;
      if (this.#subjects.size < this.capacity && !oldest.log.isOver(nowMs)) return;
      this.#recency.remove(oldest);
      this.#subjects.delete(oldest.name);
    }
  }
}
