import { FairQueue } from '@carillon/collections';

/** Batches one worker sends at once. */
export const SENT_AT_ONCE = 8;
/** Batches of one app per worker, beside other apps and alone. */
const OF_ONE_APP = 8;
const OF_ONE_ALONE = 24;
/** More is not put back in a second: a queue is not turned over and over because it is long. */
const BACK_A_SECOND = 64;

interface Waiting {
  readonly app: string;
  readonly sinceMs: number;
  readonly go: (turn: boolean) => void;
}

/** `back`: return the batch, another one needs the slot more; `lost`: the wait was aborted. */
export type Turn = 'go' | 'back' | 'lost';

/**
 * Workers that send to one provider, and the batches waiting for one: apps are served in turn, whatever their
 * backlog. Further batches of an app above its share are returned to the queue, where they would hide those of other
 * apps.
 */
export class DispatchPool {
  readonly #waiting = new FairQueue<Waiting>();
  readonly #held = new Map<string, number>();
  #busy = 0;
  #secondMs = 0;
  #back = 0;

  constructor(
    private readonly workers: number,
    private readonly now: () => number,
    private readonly onTurn: (app: string) => void = () => undefined,
  ) {}

  get size(): number {
    return this.workers * SENT_AT_ONCE;
  }

  get busy(): number {
    return this.#busy;
  }

  /** Waiting time of each app's oldest batch; none for apps whose batches are all being sent. */
  *starvation(): Iterable<readonly [app: string, ms: number]> {
    for (const [app, { sinceMs }] of this.#waiting.heads()) yield [app, this.now() - sinceMs];
  }

  /** Waits for a slot; the caller must `leave` after `go`. */
  async turn(app: string, weight: number, signal: AbortSignal): Promise<Turn> {
    if (this.#isTooMuch(app)) return 'back';
    this.#held.set(app, (this.#held.get(app) ?? 0) + 1);
    const turn = signal.aborted ? false : await this.#wait(app, weight, signal);
    if (turn) return 'go';
    this.#release(app);
    return 'lost';
  }

  leave(app: string): void {
    this.#busy -= 1;
    this.#release(app);
    this.#call();
  }

  #wait(app: string, weight: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const stop = (): void => {
        this.#waiting.remove(app, one);
        resolve(false);
      };
      const go = (turn: boolean): void => {
        signal.removeEventListener('abort', stop);
        resolve(turn);
      };
      const one: Waiting = { app, sinceMs: this.now(), go };
      signal.addEventListener('abort', stop, { once: true });
      this.#waiting.add(app, one, weight);
      this.#call();
    });
  }

  #call(): void {
    while (this.#busy < this.size) {
      const next = this.#waiting.take();
      if (next === null) return;
      this.#busy += 1;
      this.onTurn(next.app);
      next.go(true);
    }
  }

  #isTooMuch(app: string): boolean {
    const own = this.#held.get(app) ?? 0;
    const isAlone = this.#held.size === (own > 0 ? 1 : 0);
    if (own < this.workers * (isAlone ? OF_ONE_ALONE : OF_ONE_APP)) return false;
    const nowMs = this.now();
    if (nowMs - this.#secondMs >= 1000) {
      this.#secondMs = nowMs;
      this.#back = 0;
    }
    this.#back += 1;
    return this.#back <= this.workers * BACK_A_SECOND;
  }

  #release(app: string): void {
    const left = (this.#held.get(app) ?? 1) - 1;
    if (left === 0) this.#held.delete(app);
    else this.#held.set(app, left);
  }
}
