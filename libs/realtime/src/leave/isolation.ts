import type { Logger } from '@carillon/runtime';
import type { Hubs } from '../apps/hubs.js';
import type { Outlet } from '../delivery/outlet.js';
import { sendAway } from './closing.js';

/** How long a process may be cut off from the others before its clients are better served elsewhere. */
const CUT_OFF_MS = 10_000;
/** How long it waits before it asks again whether it is cut off alone. */
const AGAIN_MS = 5000;

/** What ending an isolation works with. */
export interface IsolationParts {
  /** Calls back after so long, unless the answer is called before. */
  readonly after: (ms: number, then: () => void) => () => void;
  /** Closes all connections, so that they come back, until the signal says that it need not go on. Never rejects. */
  readonly closeAll: (isOver: AbortSignal) => Promise<void>;
}

/**
 * A process that alone cannot reach the others for 10 s sends its clients away, and lets none in until it reaches them
 * again: what is published elsewhere does not come here. While nobody is in reach of anybody, clients stay: they would
 * find no better place, and what happens here reaches them.
 */
export class Isolation {
  #isLong = false;
  #over: AbortController | null = null;

  constructor(private readonly parts: IsolationParts) {}

  /** Whether nobody is let in. */
  get isLong(): boolean {
    return this.#isLong;
  }

  /**
   * The others are out of reach, and have been for so long.
   * @param isForAll whether nobody reaches anybody, as far as can be told; never rejects
   */
  begin(sinceMs: number, isForAll: () => Promise<boolean>): void {
    if (this.#over !== null) return;
    const over = new AbortController();
    this.#over = over;
    this.#after(Math.max(0, CUT_OFF_MS - sinceMs), over.signal, isForAll);
  }

  /** They are in reach again, or this process ends by itself. Who was not sent away yet stays. */
  end(): void {
    this.#isLong = false;
    this.#over?.abort();
    this.#over = null;
  }

  #after(ms: number, over: AbortSignal, isForAll: () => Promise<boolean>): void {
    const cancel = this.parts.after(ms, () => void this.#decide(over, isForAll));
    over.addEventListener('abort', cancel, { once: true });
  }

  async #decide(over: AbortSignal, isForAll: () => Promise<boolean>): Promise<void> {
    const stays = await isForAll();
    if (over.aborted) return;
    if (stays) return this.#after(AGAIN_MS, over, isForAll);
    this.#isLong = true;
    await this.parts.closeAll(over);
  }
}

/** What ends the isolation of the connections of this process. */
export const isolationOf = (hubs: Hubs, outlet: Outlet, log: Logger): Isolation =>
  new Isolation({
    after: startTimer,
    closeAll: (signal) => {
      log.warn('cut off from the other processes, sending clients away', { connections: hubs.connections });
      return sendAway(hubs, outlet, signal);
    },
  });

function startTimer(ms: number, then: () => void): () => void {
  const timer = setTimeout(then, ms).unref();
  return () => clearTimeout(timer);
}
