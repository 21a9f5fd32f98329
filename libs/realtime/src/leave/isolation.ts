import type { Logger } from '@carillon/runtime';
import type { Hubs } from '../apps/hubs.js';
import type { Outlet } from '../delivery/outlet.js';
import { sendAway } from './closing.js';

/** Time a process may be isolated before it closes its clients so that they reconnect to other nodes. */
const CUT_OFF_MS = 10_000;
/** Interval of checks whether only this process is isolated. */
const AGAIN_MS = 5000;

/** Dependencies of `Isolation`. */
export interface IsolationParts {
  /** Schedules a callback; the returned function cancels it. */
  readonly after: (ms: number, then: () => void) => () => void;
  /** Closes all connections so that they reconnect, until the signal is aborted. Never rejects. */
  readonly closeAll: (isOver: AbortSignal) => Promise<void>;
}

/**
 * A process that alone cannot reach the others for 10 s closes its clients and rejects new ones until it reaches them
 * again: events published elsewhere do not arrive here. If no process reaches any other, clients stay: no other node
 * would serve them better, and events of this process reach them.
 */
export class Isolation {
  #isLong = false;
  #over: AbortController | null = null;

  constructor(private readonly parts: IsolationParts) {}

  /** Whether new connections are rejected. */
  get isLong(): boolean {
    return this.#isLong;
  }

  /**
   * The other processes are unreachable, since `sinceMs`.
   * @param isForAll whether no process reaches any other, as far as is known; never rejects
   */
  begin(sinceMs: number, isForAll: () => Promise<boolean>): void {
    if (this.#over !== null) return;
    const over = new AbortController();
    this.#over = over;
    this.#after(Math.max(0, CUT_OFF_MS - sinceMs), over.signal, isForAll);
  }

  /** The other processes are reachable again, or this process shuts down. Clients not closed yet stay. */
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

/** Creates the isolation handling for the connections of this process. */
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
