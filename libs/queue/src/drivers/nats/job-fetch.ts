import { textOf } from '@carillon/nats';
import type { Consumer, JsMsg } from '@nats-io/jetstream';
import type { Delivered } from '../../broker/delivered.js';

/** A message that no worker has claimed yet. */
export interface Received extends Delivered {
  /** On the clock of `performance.now()`; later the server delivers it again. */
  leaseUntilMs: number;
}

/** Time limit of one fetch, the shortest the client accepts: a worker that stops waits for its end. */
const EXPIRES_MS = 1000;
const NANOSECONDS = 1_000_000;

/**
 * Fetches the messages of one queue, never more than its worker had room for. A fetch is never cancelled: the client
 * drops messages of a cancelled one, and they would wait for the end of their leases.
 */
export class JobFetch {
  readonly #received: Received[] = [];
  #running: Promise<void> | null = null;
  #room = 1;
  #failure: Error | null = null;

  constructor(
    private readonly leaseMs: number,
    /** Called for each message and at the end of each fetch. */
    private readonly wake: () => void,
  ) {}

  /** Messages that wait to be claimed. */
  get received(): readonly Received[] {
    return this.#received;
  }

  /** Takes at most `limit` messages. Throws the error that ended the last fetch, once. */
  take(limit: number): readonly Received[] {
    const failure = this.#failure;
    this.#failure = null;
    if (failure !== null && this.#received.length === 0) throw failure;
    const taken = this.#received.splice(0, limit);
    this.#room = limit - taken.length;
    const nowMs = performance.now();
    return taken.filter(({ leaseUntilMs }) => leaseUntilMs > nowMs);
  }

  /** Starts a fetch of as many messages as the last `take` left room for, unless one runs. */
  start(consumer: Consumer, maxMessages: number): void {
    this.#running ??= this.#run(consumer, Math.max(1, Math.min(this.#room, maxMessages)));
  }

  /** Resolves when no fetch runs, after `EXPIRES_MS` or little more. */
  async end(): Promise<void> {
    await this.#running;
  }

  async #run(consumer: Consumer, count: number): Promise<void> {
    try {
      const messages = await consumer.fetch({ max_messages: count, expires: EXPIRES_MS });
      for await (const message of messages) {
        this.#received.push(receivedOf(message, performance.now() + this.leaseMs));
        this.wake();
      }
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error('the fetch failed');
    }
    this.#running = null;
    this.wake();
  }
}

function receivedOf(
  { reply, data, info }: JsMsg & { readonly reply?: string },
  leaseUntilMs: number,
): Received {
  return {
    token: reply ?? '',
    text: textOf(data),
    count: info.deliveryCount,
    writtenAtMs: Math.floor(info.timestampNanos / NANOSECONDS),
    leaseUntilMs,
  };
}
