import { holding, type Operation, type Result } from '../../cluster/operation.js';
import type { Intent, Shard, ShardOwner } from '../../cluster/shard.js';

const SUBJECT = 'connections';

interface Arrival {
  readonly limit: number;
  readonly resolve: (isLetIn: boolean) => void;
}

/** Connections of an app to this process, and pending admissions. */
export class AppConnections implements ShardOwner {
  #count = 0;
  /** Last known count of other processes. */
  #others = 0;
  #arrivals: Arrival[] = [];
  #isWaiting = false;
  /** The store did not answer last. */
  #isAlone = false;

  constructor(private readonly shard: () => Shard) {}

  take(limit: number): Promise<boolean> {
    return new Promise((resolve) => {
      this.#arrivals.push({ limit, resolve });
      if (this.#isAlone) this.#decideAlone(this.#arrivals.splice(0));
      this.#ask();
    });
  }

  release(): void {
    if (this.#count === 0) return;
    this.#count -= 1;
    this.#ask();
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  held(): ReadonlyMap<string, number> {
    return new Map(this.#count === 0 ? [] : [[SUBJECT, this.#count]]);
  }

  correction(): Intent | null {
    return this.#isWaiting ? null : this.#asking();
  }

  #ask(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.shard().add(this.#asking());
  }

  /** Creates an intent for all admissions pending at its turn. */
  #asking(): Intent {
    let asked: Arrival[] = [];
    let before = 0;
    return {
      subject: SUBJECT,
      isLasting: true,
      wantsSubjects: false,
      prepare: () => {
        this.#isWaiting = false;
        asked = this.#arrivals.splice(0);
        before = this.#count;
        return this.#request(asked);
      },
      done: (result) => this.#answered(asked.splice(0), before, result),
      failed: () => {
        this.#isAlone = true;
        this.#decideAlone([...asked.splice(0), ...this.#arrivals.splice(0)]);
      },
    };
  }

  #request(asked: readonly Arrival[]): Operation {
    // Existing connections stay, whatever the current limit.
    if (asked.length === 0) return holding(SUBJECT, this.#count);
    const limit = Math.min(...asked.map((arrival) => arrival.limit));
    return holding(SUBJECT, this.#count + asked.length, { mostOfIt: limit });
  }

  #answered(asked: readonly Arrival[], before: number, { count, total }: Result): void {
    this.#isAlone = false;
    this.#others = total - count;
    const places = Math.max(0, count - before);
    for (const [at, { resolve }] of asked.entries()) {
      if (at < places) this.#count += 1;
      resolve(at < places);
    }
    if (count !== this.#count) this.#ask();
  }

  /** Decides by the last known counts while the store is unavailable; it is updated when it recovers. */
  #decideAlone(asked: readonly Arrival[]): void {
    for (const { limit, resolve } of asked) {
      const isLetIn = this.#count + this.#others < limit;
      if (isLetIn) this.#count += 1;
      resolve(isLetIn);
    }
  }
}
