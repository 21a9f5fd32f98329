import { setTimeout as pause } from 'node:timers/promises';
import type { IggyClient } from './client.js';
import { type PartitionAddress, type PolledMessage, pollMessages } from './messages.js';

export interface PollerOptions {
  readonly client: IggyClient;
  readonly address: PartitionAddress;
  readonly consumer: string;
  /** First offset that is read. */
  readonly start: number;
  readonly count: number;
  readonly intervalMs: number;
  /** Stores the offset of each batch for the consumer. */
  readonly autoCommit: boolean;
  /** Called with each batch that has messages, in order. The next one is requested when it resolves. */
  readonly onMessages: (messages: readonly PolledMessage[]) => Promise<void> | void;
  /** Called once when polling failed, and ends. */
  readonly onFailed: (error: unknown) => void;
}

/** Growth of the interval while polls find nothing. */
const IDLE_GROWTH = 4;

/** Reads one partition: full batches one after the other, else every `intervalMs`, up to 4 times that while idle. */
export class IggyPoller {
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  constructor(private readonly options: PollerOptions) {
    this.#running = this.#run();
  }

  /** Resolves when nothing more is delivered. Idempotent. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { client, address, consumer, count, intervalMs, autoCommit, onMessages, onFailed } = this.options;
    const { signal } = this.#stopping;
    let value = this.options.start;
    let waitMs = intervalMs;
    while (!signal.aborted) {
      try {
        const { messages } = await pollMessages(client, address, {
          consumer,
          kind: 'offset',
          value,
          count,
          autoCommit,
        });
        if (signal.aborted) return;
        const last = messages.at(-1);
        if (last !== undefined) {
          value = last.offset + 1;
          await onMessages(messages);
        }
        waitMs = last === undefined ? Math.min(waitMs * 2, intervalMs * IDLE_GROWTH) : intervalMs;
        if (messages.length < count) await pause(waitMs, undefined, { signal }).catch(() => undefined);
      } catch (error) {
        if (!signal.aborted) onFailed(error);
        return;
      }
    }
  }
}
