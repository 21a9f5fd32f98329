import { SlidingLog } from './sliding-log.js';

/** Looked at with every check, so that subjects which stay away are forgotten sooner than new ones appear. */
const LOOKED_AT = 2;

/** The logs of the subjects used last, at most `capacity`; the least recently used one goes first. */
export class Subjects {
  /** Least recently used first. */
  readonly #logs = new Map<string, SlidingLog>();

  constructor(private readonly capacity: number) {}

  get size(): number {
    return this.#logs.size;
  }

  /** The log of a subject, which counts as used now. */
  use(name: string, nowMs: number): SlidingLog {
    const known = this.#logs.get(name);
    if (known === undefined) this.#forget(nowMs);
    else this.#logs.delete(name);
    const log = known ?? new SlidingLog();
    this.#logs.set(name, log);
    return log;
  }

  clear(): void {
    this.#logs.clear();
  }

  #forget(nowMs: number): void {
    let looked = 0;
    for (const [name, log] of this.#logs) {
      if (this.#logs.size < this.capacity && !log.isOver(nowMs)) return;
      this.#logs.delete(name);
      looked += 1;
      if (looked === LOOKED_AT) return;
    }
  }
}
