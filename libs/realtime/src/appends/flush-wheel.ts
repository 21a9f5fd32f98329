/** Power of two, so that the slot of a tick is given by its low bits. */
const SLOTS = 256;
/** Limit of entries run per tick; the remainder runs in the next tick. */
const MAX_IN_TICK = 4096;

/** A scheduled callback. */
interface Entry {
  readonly run: () => void;
  readonly dueTick: number;
}

type Shard = Entry[][];

export interface FlushWheelOptions {
  readonly tickMs: number;
  /** Number of shards. Due entries of one shard do not wait for those of another. */
  readonly shards: number;
  /** Monotonic clock in milliseconds. */
  readonly nowMs: () => number;
}

/**
 * Timing wheel that runs callbacks when they are due, never earlier. One timer serves all entries and stops while
 * none is scheduled. Entries cannot be cancelled: an obsolete callback still runs and must do nothing.
 */
export class FlushWheel {
  readonly #shards = new Map<number, Shard>();
  readonly #startMs: number;
  #timer: NodeJS.Timeout | null = null;
  #tick = 0;
  #waiting = 0;

  constructor(private readonly options: FlushWheelOptions) {
    this.#startMs = options.nowMs();
  }

  /** Number of scheduled entries. */
  get size(): number {
    return this.#waiting;
  }

  /** Schedules a callback. `subject` selects the shard. */
  at(dueMs: number, subject: string, run: () => void): void {
    if (this.#timer === null) {
      this.#tick = this.#tickOf(this.options.nowMs());
      this.#timer = setInterval(() => this.turn(), this.options.tickMs).unref();
    }
    const dueTick = Math.max(this.#tick + 1, Math.ceil((dueMs - this.#startMs) / this.options.tickMs));
    this.#put(this.#shardOf(subject), { run, dueTick });
    this.#waiting += 1;
  }

  /** Advances the wheel to the present and runs due entries. */
  turn(): void {
    const now = this.#tickOf(this.options.nowMs());
    // After a long pause one revolution visits all slots.
    if (now - this.#tick > SLOTS) this.#tick = now - SLOTS;
    while (this.#tick < now) {
      this.#tick += 1;
      for (const shard of this.#shards.values()) this.#runDue(shard, now);
    }
    if (this.#waiting === 0) this.stop();
  }

  /** Stops the timer. Nothing runs until another callback is scheduled. */
  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#shards.clear();
    this.#waiting = 0;
  }

  #runDue(shard: Shard, now: number): void {
    const slot = shard[this.#tick % SLOTS];
    if (slot === undefined || slot.length === 0) return;
    const entries = slot.splice(0);
    let ran = 0;
    for (const entry of entries) {
      if (entry.dueTick > now) this.#put(shard, entry);
      else if (ran === MAX_IN_TICK) this.#put(shard, { ...entry, dueTick: this.#tick + 1 });
      else {
        ran += 1;
        this.#waiting -= 1;
        entry.run();
      }
    }
  }

  #put(shard: Shard, entry: Entry): void {
    (shard[entry.dueTick % SLOTS] ??= []).push(entry);
  }

  #shardOf(subject: string): Shard {
    let hash = 0;
    for (let at = 0; at < subject.length; at += 1) hash = (hash * 31 + subject.charCodeAt(at)) | 0;
    const number = Math.abs(hash) % this.options.shards;
    let shard = this.#shards.get(number);
    if (shard === undefined) this.#shards.set(number, (shard = []));
    return shard;
  }

  #tickOf(ms: number): number {
    return Math.floor((ms - this.#startMs) / this.options.tickMs);
  }
}
