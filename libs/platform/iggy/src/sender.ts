import type { IggyClient } from './client.js';
import { MAX_BATCH_BYTES, sendMessages, type PartitionAddress } from './messages.js';

export interface SenderOptions {
  readonly client: IggyClient;
  readonly address: PartitionAddress;
}

/** The message is larger than any request may be. */
export class MessageTooLarge extends Error {
  override readonly name = 'MessageTooLarge';
}

interface Waiting {
  readonly payload: Buffer;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const MAX_BATCH = 1000;
/** Messages that wait for their request. */
const MAX_WAITING = 50_000;

/**
 * Sends messages to one partition in the order of the calls: one request at a time, with everything that came during
 * the one before.
 */
export class IggySender {
  #waiting: Waiting[] = [];
  #sending: Promise<void> | null = null;

  constructor(private readonly options: SenderOptions) {}

  /** Resolves when the server has stored the message. */
  send(text: string): Promise<void> {
    // Servers refuse an empty payload.
    const payload = Buffer.from(text === '' ? ' ' : text, 'utf8');
    if (payload.byteLength > MAX_BATCH_BYTES) {
      const size = `message of ${payload.byteLength} bytes`;
      return Promise.reject(new MessageTooLarge(`${size} exceeds the limit of ${MAX_BATCH_BYTES} bytes`));
    }
    if (this.#waiting.length >= MAX_WAITING)
      return Promise.reject(new MessageTooLarge(`${MAX_WAITING} messages wait for the server`));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ payload, resolve, reject });
      this.#sending ??= this.#run();
    });
  }

  /** Resolves when nothing waits. */
  async idle(): Promise<void> {
    await this.#sending;
  }

  async #run(): Promise<void> {
    // Messages of one event-loop turn share a request.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#next();
      try {
        const payloads = batch.map(({ payload }) => payload);
        await sendMessages(this.options.client, this.options.address, payloads);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    // Together with the last look: a message that comes later starts the next run.
    this.#sending = null;
  }

  #next(): readonly Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const { payload } of this.#waiting) {
      bytes += payload.byteLength;
      if (count > 0 && (bytes > MAX_BATCH_BYTES || count === MAX_BATCH)) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }
}
