/** A power of two, so that a tick has its place by its last bits. */
const SLOTS = 256;
/** What is left of a very full tick is done in the next one. */
const MOST_IN_TICK = 4096;

/** What is to be done at a time. */
interface Entry {
  readonly run: () => void;
  readonly dueTick: number;
}

type Shard = Entry[][];

export interface FlushWheelOptions {
  readonly tickMs: number;
  /** What is due of one does not wait for what is due of another. */
  readonly shards: number;
  /** Milliseconds that never go back. */
  readonly nowMs: () => number;
}

/**
 * Runs what was asked for at its time, never before it. One timer for everything, which stands still while nothing waits.
 * What is not wanted any more is run all the same, and does nothing.
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

  /** How many wait. */
  get size(): number {
    return this.#waiting;
  }

  /** `subject` says with what it is kept together. */
  at(dueMs: number, subject: string, run: () => void): void {
    if (this.#timer === null) {
      this.#tick = this.#tickOf(this.options.nowMs());
      this.#timer = setInterval(() => this.turn(), this.options.tickMs).unref();
    }
    const dueTick = Math.max(this.#tick + 1, Math.ceil((dueMs - this.#startMs) / this.options.tickMs));
    this.#put(this.#shardOf(subject), { run, dueTick });
    this.#waiting += 1;
  }

  /** Goes on to the present. */
  turn(): void {
    const now = this.#tickOf(this.options.nowMs());
    // After a long stand-still one round finds everything.
    if (now - this.#tick > SLOTS) this.#tick = now - SLOTS;
    while (this.#tick < now) {
      this.#tick += 1;
      for (const shard of this.#shards.values()) this.#runDue(shard, now);
    }
    if (this.#waiting === 0) this.stop();
  }

  /** Nothing is run any more until something is asked for again. */
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
      else if (ran === MOST_IN_TICK) this.#put(shard, { ...entry, dueTick: this.#tick + 1 });
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
