import { partKey, queueId } from './keys.js';
import type { OpenLink, QueueLink } from './link.js';

/** A server takes a connection that is silent for 5 s for dead, so no call waits that long. */
const LONGEST_WAIT_MS = 2000;
const SHORTEST_WAIT_MS = 10;

/**
 * Lets idle workers sleep until something is enqueued, for a bounded time. A call that blocks holds up every other
 * one on its connection, so each queue has a connection of its own for it, opened when it is first needed.
 */
export class Bells {
  readonly #links = new Map<string, Promise<QueueLink>>();
  #closed = false;

  constructor(
    private readonly prefix: string,
    private readonly open: OpenLink,
  ) {}

  /** Rejects if the connection is lost. After an abort the server keeps waiting until its timeout. */
  async wait(queue: string, ms: number, signal: AbortSignal): Promise<void> {
    if (this.#closed || signal.aborted) return;
    const link = await this.#link(queue);
    const waitMs = Math.min(Math.max(ms, SHORTEST_WAIT_MS), LONGEST_WAIT_MS);
    const key = partKey(this.prefix, queueId(queue), 'notify');
    await untilAborted(link.call('blpop', key, waitMs / 1000), signal);
  }

  close(): void {
    this.#closed = true;
    for (const opening of this.#links.values())
      void opening.then(
        (link) => link.close(),
        () => undefined,
      );
  }

  async #link(queue: string): Promise<QueueLink> {
    const known = this.#links.get(queue);
    if (known !== undefined) return known;
    const opening = this.open(LONGEST_WAIT_MS);
    this.#links.set(queue, opening);
    try {
      const link = await opening;
      if (this.#closed) link.close();
      return link;
    } catch (error) {
      this.#links.delete(queue);
      throw error;
    }
  }
}

/** Resolves or rejects with the call, but no later than the signal aborts. */
function untilAborted(call: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve();
    signal.addEventListener('abort', stop, { once: true });
    call.then(stop, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
