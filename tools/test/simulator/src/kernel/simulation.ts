import { Heap, type HeapItem } from './heap.js';
import { hashText, Random } from './random.js';
import { realSetImmediate } from './real-time.js';
import { UNHANDLED, type Violation } from './violation.js';

/** Process of the environment: actions, faults and observers. It is never killed. */
export const ENVIRONMENT = -1;

interface Pending extends HeapItem {
  readonly process: number;
  /** Null: runs whichever incarnation of the process lives. */
  readonly incarnation: number | null;
  readonly label: string;
  readonly run: () => void;
  cancelled: boolean;
  /** Stays behind earlier ordered events of its process, also after a freeze. */
  isOrdered: boolean;
  /** Waits for the end of a freeze. */
  isHeldBack: boolean;
}

interface ProcessState {
  incarnation: number;
  isUp: boolean;
  frozenUntilMs: number;
  /** Added to the wall clock. */
  skewMs: number;
  /** Factor of the speed of its clocks. */
  speed: number;
}

/** Wall clock at the start of every simulation. */
const EPOCH_MS = Date.UTC(2026, 0, 1);

/**
 * Discrete-event scheduler with simulated time. A step is one event, run until no microtask is left. Every event belongs to
 * a process; code that runs in it sees the clock of that process, and its timers end with that process.
 */
export class Simulation {
  readonly random: Random;
  steps = 0;
  nowMs = 0;
  /** Process whose event runs. */
  current = ENVIRONMENT;
  violation: (Violation & { readonly step: number; readonly timeMs: number }) | null = null;
  /** Hash of all events so far. */
  hash = 0x811c9dc5;
  /** Called with each step. Absent: nothing is traced. */
  trace: ((line: string) => void) | null = null;
  #entered = { process: ENVIRONMENT, incarnation: 0 };
  readonly #pending = new Heap<Pending>();
  readonly #processes = new Map<number, ProcessState>();

  constructor(seed: number, label: string) {
    this.random = new Random(seed, label);
  }

  /** Time of the wall clock of the current process. */
  get wallMs(): number {
    const { skewMs } = this.#process(this.current);
    return Math.floor(EPOCH_MS + this.elapsedMs + skewMs);
  }

  /** Time of the monotonic clock of the current process. */
  get elapsedMs(): number {
    return this.nowMs * this.#process(this.current).speed;
  }

  isUp(process: number): boolean {
    return this.#process(process).isUp;
  }

  incarnation(process: number): number {
    return this.#process(process).incarnation;
  }

  /** Runs something later in the current process; the result cancels it. */
  after(delayMs: number, label: string, run: () => void): () => void {
    const process = this.#process(this.current);
    return this.#push(this.current, this.#incarnationHere, delayMs / process.speed, label, run);
  }

  /** Incarnation whose code runs: the process may have ended within this step. */
  get #incarnationHere(): number {
    return this.current === this.#entered.process
      ? this.#entered.incarnation
      : this.incarnation(this.current);
  }

  /** Runs something later in a process, whichever incarnation of it lives then; dropped while it is down. */
  deliver(process: number, delayMs: number, label: string, run: () => void, isOrdered = false): void {
    this.#push(process, null, delayMs, label, run, isOrdered);
  }

  /** Runs something now as if it were code of that process. */
  inside<Result>(process: number, run: () => Result): Result {
    const before = this.current;
    this.current = process;
    try {
      return run();
    } finally {
      this.current = before;
    }
  }

  kill(process: number): void {
    const state = this.#process(process);
    state.isUp = false;
    state.incarnation += 1;
    state.frozenUntilMs = 0;
  }

  start(process: number): void {
    this.#process(process).isUp = true;
  }

  freeze(process: number, ms: number): void {
    const state = this.#process(process);
    state.frozenUntilMs = Math.max(state.frozenUntilMs, this.nowMs + ms);
  }

  thaw(): void {
    for (const state of this.#processes.values()) state.frozenUntilMs = 0;
    const all: Pending[] = [];
    for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop()) all.push(next);
    for (const next of all) {
      if (next.isHeldBack) next.atMs = heldUntil(next, this.nowMs);
      this.#pending.push(next);
    }
  }

  isFrozen(process: number): boolean {
    return this.#process(process).frozenUntilMs > this.nowMs;
  }

  jumpClock(process: number, ms: number): void {
    this.#process(process).skewMs += ms;
  }

  setDrift(process: number, partsPerMillion: number): void {
    const state = this.#process(process);
    const speed = 1 + partsPerMillion / 1_000_000;
    // The monotonic clock continues where it is.
    state.skewMs += this.nowMs * (state.speed - speed);
    state.speed = speed;
  }

  /** Records the first violation; the run ends after this step. */
  report(violation: Violation): void {
    this.violation ??= { ...violation, step: this.steps, timeMs: Math.round(this.nowMs) };
  }

  fail(error: unknown): void {
    const actual = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.report({ invariant: UNHANDLED, promise: 'none', expected: 'no exception', actual });
  }

  /** Runs the next event. False: there is none before `untilMs`. */
  async step(untilMs: number): Promise<boolean> {
    for (;;) {
      const next = this.#pending.first;
      if (next === undefined || next.atMs > untilMs) return false;
      this.#pending.pop();
      if (next.cancelled) continue;
      const state = this.#process(next.process);
      const isStale = next.incarnation !== null && next.incarnation !== state.incarnation;
      if (isStale || !state.isUp) continue;
      if (state.frozenUntilMs > next.atMs) {
        next.atMs = heldUntil(next, state.frozenUntilMs);
        next.isHeldBack = true;
        this.#pending.push(next);
        continue;
      }
      await this.#run(next);
      return true;
    }
  }

  /** Runs what is due at once, without counting it, until no microtask is left. */
  async drain(): Promise<void> {
    await new Promise<void>((resolve) => realSetImmediate(resolve));
  }

  async #run(next: Pending): Promise<void> {
    this.nowMs = Math.max(this.nowMs, next.atMs);
    this.steps += 1;
    const line = `${this.steps} ${this.nowMs.toFixed(3)} ${next.process} ${next.label}`;
    this.hash = hashText(line, this.hash);
    this.trace?.(line);
    this.current = next.process;
    this.#entered = { process: next.process, incarnation: this.incarnation(next.process) };
    try {
      next.run();
    } catch (error) {
      this.fail(error);
    }
    await this.drain();
    this.current = ENVIRONMENT;
  }

  #push(
    process: number,
    incarnation: number | null,
    delayMs: number,
    label: string,
    run: () => void,
    isOrdered = false,
  ): () => void {
    const atMs = this.nowMs + Math.max(0, delayMs);
    const pending: Pending = {
      atMs,
      rank: this.random.next(),
      process,
      incarnation,
      label,
      run,
      cancelled: false,
      isOrdered,
      isHeldBack: false,
    };
    this.#pending.push(pending);
    return () => {
      pending.cancelled = true;
    };
  }

  #process(process: number): ProcessState {
    let state = this.#processes.get(process);
    if (state === undefined) {
      state = { incarnation: 0, isUp: true, frozenUntilMs: 0, skewMs: 0, speed: 1 };
      this.#processes.set(process, state);
    }
    return state;
  }
}

/** Share of the time at which an ordered event was due that is added after a freeze: enough to keep the order. */
const ORDER_SHARE = 1e-7;

const heldUntil = ({ atMs, isOrdered }: Pending, untilMs: number): number =>
  isOrdered ? untilMs + atMs * ORDER_SHARE : untilMs;
