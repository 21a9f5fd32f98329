import { FairQueue } from '@carillon/collections';

export interface FairSlotsOptions {
  /** Runs at one time. */
  readonly atOnce: number;
  /** Runs of one owner (an app, a connection) at one time. */
  readonly atOncePerOwner: number;
  /** Runs of one owner that wait; more are rejected with `SlotsFull`. */
  readonly waitingPerOwner: number;
}

interface Waiting {
  readonly owner: string;
  readonly wake: () => void;
}

/** Rejects work of an owner that has too much waiting already. */
export class SlotsFull extends Error {
  override readonly name = 'SlotsFull';
}

/** Limits concurrent work, in total and per owner. Of the work that waits, owners take turns and each keeps its order. */
export class FairSlots {
  readonly #waiting = new FairQueue<Waiting>();
  readonly #runningOf = new Map<string, number>();
  #running = 0;

  constructor(private readonly options: FairSlotsOptions) {}

  get running(): number {
    return this.#running;
  }

  runningOf(owner: string): number {
    return this.#runningOf.get(owner) ?? 0;
  }

  waitingOf(owner: string): number {
    return this.#waiting.waiting(owner);
  }

  /** Runs work when a slot is free. Work whose signal was aborted while it waited is not begun, and rejects. */
  async run<Value>(owner: string, work: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    if (this.#isFree(owner)) this.#enter(owner);
    else await this.#wait(owner);
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      this.#leave(owner);
    }
  }

  #isFree(owner: string): boolean {
    const { atOnce, atOncePerOwner } = this.options;
    return this.#running < atOnce && this.runningOf(owner) < atOncePerOwner;
  }

  #wait(owner: string): Promise<void> {
    const { waitingPerOwner } = this.options;
    if (this.waitingOf(owner) >= waitingPerOwner)
      throw new SlotsFull(`${waitingPerOwner} runs of the owner wait already`);
    return new Promise((wake) => this.#waiting.add(owner, { owner, wake }));
  }

  #enter(owner: string): void {
    this.#running += 1;
    this.#runningOf.set(owner, this.runningOf(owner) + 1);
  }

  #leave(owner: string): void {
    const left = this.runningOf(owner) - 1;
    this.#running -= 1;
    if (left > 0) this.#runningOf.set(owner, left);
    else this.#runningOf.delete(owner);
    this.#handOver();
  }

  /** The slot is taken here, so that no later request can take it before the woken one runs. */
  #handOver(): void {
    if (this.#running >= this.options.atOnce) return;
    const next = this.#waiting.take((owner) => this.#isFree(owner));
    if (next === null) return;
    this.#enter(next.owner);
    next.wake();
  }
}
