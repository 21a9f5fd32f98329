import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import type { Simulation } from './simulation.js';
import './real-time.js';

/** Simulation that runs now. Null: none, and time stands still. */
let active: Simulation | null = null;
let isInstalled = false;

/** Makes a simulation the source of time and randomness of all code of this thread. */
export function activate(simulation: Simulation | null): void {
  if (!isInstalled) install();
  active = simulation;
}

const nothing = (): void => undefined;

function timer(ms: number, isRepeated: boolean, label: string, run: () => void): VirtualTimer {
  return new VirtualTimer(ms, isRepeated, label, run);
}

class VirtualTimer {
  #cancel: () => void = nothing;
  #isOver = false;

  constructor(
    private readonly ms: number,
    private readonly isRepeated: boolean,
    private readonly label: string,
    private readonly run: () => void,
  ) {
    this.#arm();
  }

  #arm(): void {
    this.#cancel = active?.after(this.ms, this.label, () => this.#fire()) ?? nothing;
  }

  #fire(): void {
    if (this.isRepeated) this.#arm();
    else this.#isOver = true;
    this.run();
  }

  stop(): void {
    this.#isOver = true;
    this.#cancel();
  }

  refresh(): this {
    if (this.#isOver && !this.isRepeated) return this;
    this.#cancel();
    this.#arm();
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return false;
  }

  close(): this {
    this.stop();
    return this;
  }

  [Symbol.dispose](): void {
    this.stop();
  }
}

type Callback = (...args: unknown[]) => void;

const clear = (found: unknown): void => {
  if (found instanceof VirtualTimer) found.stop();
};

/** Timers of under a millisecond take one, as in Node. */
const wholeMs = (ms: unknown): number => Math.max(1, Number(ms ?? 1) || 1);

const functions = {
  setTimeout: (run: Callback, ms?: number, ...args: unknown[]) =>
    timer(wholeMs(ms), false, 'timer', () => run(...args)),
  setInterval: (run: Callback, ms?: number, ...args: unknown[]) =>
    timer(wholeMs(ms), true, 'interval', () => run(...args)),
  setImmediate: (run: Callback, ...args: unknown[]) => timer(0, false, 'immediate', () => run(...args)),
  clearTimeout: clear,
  clearInterval: clear,
  clearImmediate: clear,
};

function laterWith(label: string) {
  return (ms: number, value: unknown, options: { readonly signal?: AbortSignal } = {}): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const { signal } = options;
      const aborted = (): void => {
        made.stop();
        reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
      };
      const made = timer(ms, false, label, () => {
        signal?.removeEventListener('abort', aborted);
        resolve(value);
      });
      if (signal?.aborted === true) aborted();
      else signal?.addEventListener('abort', aborted, { once: true });
    });
}

const replace = (target: object, members: object): void => void Object.assign(target, members);

const bytes = (size: number): Buffer =>
  Buffer.from(Array.from({ length: size }, () => active?.random.below(256) ?? 0));

/**
 * Replaces the sources of time and randomness of the thread, once. Production code stays unchanged: it reads
 * `Date.now()`, `performance.now()`, timers and random values that the active simulation gives.
 */
function install(): void {
  isInstalled = true;
  const RealDate = Date;
  class VirtualDate extends RealDate {
    constructor(...args: [] | [number | string | Date]) {
      if (args.length === 0) super(VirtualDate.now());
      else super(...args);
    }

    static override now(): number {
      return active?.wallMs ?? 0;
    }
  }
  replace(globalThis, { ...functions, Date: VirtualDate });
  replace(timers, functions);
  const pauseFor = laterWith('pause');
  replace(timersPromises, {
    setTimeout: (ms?: number, value?: unknown, options?: object) => pauseFor(wholeMs(ms), value, options),
    setImmediate: (value?: unknown, options?: object) => pauseFor(0, value, options),
  });
  performance.now = () => active?.elapsedMs ?? 0;
  Math.random = () => active?.random.next() ?? 0;
  replace(crypto, {
    randomUUID: () => active?.random.uuid() ?? '',
    randomBytes: bytes,
    randomInt: (from: number, to?: number) =>
      to === undefined ? (active?.random.below(from) ?? 0) : from + (active?.random.below(to - from) ?? 0),
    randomFillSync: (target: Uint8Array) => {
      target.set(bytes(target.length));
      return target;
    },
  });
  syncBuiltinESMExports();
}
