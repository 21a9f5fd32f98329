import { type Aging, Recency } from '@carillon/collections';

/** Subjects checked per new one, so that idle ones are removed faster than new ones are added. */
const LOOKED_AT = 2;

/** State of a subject. */
export interface Kept {
  /** Whether it is as a new one at this time. */
  isOver(nowMs: number): boolean;
}

interface Subject<One> extends Aging<Subject<One>> {
  readonly name: string;
  readonly kept: One;
}

/** States of the most recently used subjects, at most `capacity`; the least recently used is evicted. */
export class Subjects<One extends Kept> {
  readonly #subjects = new Map<string, Subject<One>>();
  readonly #recency = new Recency<Subject<One>>();

  constructor(
    private readonly capacity: number,
    private readonly make: () => One,
  ) {}

  get size(): number {
    return this.#subjects.size;
  }

  /** Returns the state of a subject and marks it as used. */
  use(name: string, nowMs: number): One {
    const known = this.#subjects.get(name);
    if (known !== undefined) {
      this.#recency.use(known);
      return known.kept;
    }
    this.#forget(nowMs);
    const subject: Subject<One> = { name, kept: this.make(), older: null, newer: null };
    this.#subjects.set(name, subject);
    this.#recency.add(subject);
    return subject.kept;
  }

  #forget(nowMs: number): void {
    for (let looked = 0; looked < LOOKED_AT; looked += 1) {
      const { oldest } = this.#recency;
      if (oldest === null) return;
      if (this.#subjects.size < this.capacity && !oldest.kept.isOver(nowMs)) return;
      this.#recency.remove(oldest);
      this.#subjects.delete(oldest.name);
    }
  }
}
