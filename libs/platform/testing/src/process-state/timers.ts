/** A timer of Node, which records whether it fired for the last time or was cleared. */
type NodeTimer = NodeJS.Timeout & { readonly _destroyed: boolean };

interface Created {
  readonly what: string;
  /** Holds the stack trace, which V8 formats only when it is read. */
  readonly at: { readonly stack?: string };
}

/** Shorter timers end soon by themselves, such as the deadline of abandoned work. */
const LONG_MS = 10_000;

/** From this many recorded timers on, finished ones are dropped. */
const MIN_PURGE = 256;

/**
 * Records the intervals and long timers that a test file starts with the global functions. Left out are timers that do
 * not keep the process alive, such as those that sweep a cache in memory; those of libraries, which keep some after they
 * were closed (ioredis refreshes the slots of a cluster once more); and those of `node:timers`, which do not pass the
 * global functions.
 */
export class TimerRecord {
  readonly #created = new Map<NodeTimer, Created>();
  #purgeAt = MIN_PURGE;

  /** Replaces `setInterval` and `setTimeout` for the rest of the process. */
  install(): void {
    this.#wrap('setInterval', 0);
    this.#wrap('setTimeout', LONG_MS);
  }

  #wrap(name: 'setInterval' | 'setTimeout', fromMs: number): void {
    const original = globalThis[name] as unknown as (...args: unknown[]) => NodeTimer;
    const record = (timer: NodeTimer, created: Created): void => this.#add(timer, created);
    const recording = function recording(...args: unknown[]): NodeTimer {
      const timer = original(...args);
      const delayMs = Number(args[1] ?? 0);
      if (delayMs < fromMs) return timer;
      const at = {};
      Error.captureStackTrace(at, recording);
      record(timer, { what: `${name} of ${delayMs} ms`, at });
      return timer;
    };
    // `promisify` finds the variant with a promise among the properties.
    Object.defineProperties(recording, Object.getOwnPropertyDescriptors(original));
    Reflect.set(globalThis, name, recording);
  }

  clear(): void {
    this.#created.clear();
  }

  /** Describes the recorded timers of our own code that keep the process alive. */
  running(): readonly string[] {
    return [...this.#created].flatMap(([timer, { what, at }]) => {
      const frames = timer._destroyed || !timer.hasRef() ? '' : framesOf(at.stack);
      return frames === '' ? [] : [`${what}, ${frames}`];
    });
  }

  #add(timer: NodeTimer, created: Created): void {
    this.#created.set(timer, created);
    if (this.#created.size < this.#purgeAt) return;
    for (const one of this.#created.keys()) if (one._destroyed) this.#created.delete(one);
    this.#purgeAt = Math.max(MIN_PURGE, this.#created.size * 2);
  }
}

const MAX_FRAMES = 3;

/** The innermost frames of our own code; empty if a library or Node started the timer. */
function framesOf(stack = ''): string {
  const frames = stack.split('\n').slice(1);
  if (!isOwn(frames[0] ?? '')) return '';
  return frames
    .filter(isOwn)
    .slice(0, MAX_FRAMES)
    .map((frame) => frame.trim())
    .join(' ');
}

const isOwn = (frame: string): boolean =>
  /\/(apps|libs|tools)\//.test(frame) && !/\/node_modules\//.test(frame);
