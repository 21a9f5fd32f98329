import { createHash } from 'node:crypto';
import type { Cache } from '@carillon/cache';
import { cacheKeys } from '@carillon/contracts';
import type { RpcId } from '../rpc/failure.js';

const LOOK_EVERY_MS = 500;

/** A call whose client may disconnect. The work continues without a receiver. */
export interface Running {
  readonly signal: AbortSignal;
  end(): void;
}

/**
 * The calls of sessions that run in this process, by session and id. A cancellation may arrive at another process: it is
 * written down, and calls that last look for theirs.
 */
export class RunningCalls {
  readonly #running = new Map<string, AbortController>();
  #timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly cache: Cache,
    private readonly longestMs: () => number,
  ) {}

  get count(): number {
    return this.#running.size;
  }

  begin(session: string, id: RpcId, onEnd: () => void = () => undefined): Running {
    const key = keyOf(session, id);
    const controller = new AbortController();
    this.#running.set(key, controller);
    this.#timer ??= setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
    return {
      signal: controller.signal,
      end: () => {
        if (this.#running.get(key) === controller) this.#running.delete(key);
        if (this.#running.size === 0) this.#stop();
        onEnd();
      },
    };
  }

  /** Abandons a call, wherever it runs. */
  async cancel(session: string, id: RpcId): Promise<void> {
    const here = this.#running.get(keyOf(session, id));
    if (here !== undefined) return here.abort('cancelled');
    await this.cache.set(cacheKeys.mcpCancelled(session, encoded(id)), '1', this.longestMs());
  }

  /** Looks for cancellations that came to other processes. */
  async look(): Promise<void> {
    await Promise.all([...this.#running].map(([key, controller]) => this.#lookFor(key, controller)));
  }

  async #lookFor(key: string, controller: AbortController): Promise<void> {
    const [session = '', id = ''] = key.split(' ');
    try {
      if (await this.cache.remove(cacheKeys.mcpCancelled(session, id))) controller.abort('cancelled');
    } catch {
      // Unknown: the call continues.
    }
  }

  #stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}

/** Ids are the client's and of any length. A number and the same digits as text are two ids. */
const encoded = (id: RpcId): string => createHash('sha256').update(JSON.stringify(id)).digest('hex');
const keyOf = (session: string, id: RpcId): string => `${session} ${encoded(id)}`;
