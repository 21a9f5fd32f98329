import type { PubsubClient } from './client.js';
import { hasCode, STATUS } from './failures.js';
import type { OutgoingMessage } from './messages.js';

/** Pub/Sub limits a request to 10 MB and 1,000 messages. */
const MAX_REQUEST_BYTES = 4 * 1024 * 1024;
const MAX_REQUEST_MESSAGES = 1000;

interface PendingMessage extends OutgoingMessage {
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Publishes messages in the order of the calls, per topic: one request is in flight at a time and carries all messages
 * that arrived meanwhile. The caller bounds the number of pending messages.
 */
export class MessageSender {
  readonly #pending = new Map<string, PendingMessage[]>();
  readonly #sending = new Map<string, Promise<void>>();

  /** @param createMissing Creates a topic that did not exist when a message was published to it. */
  constructor(
    private readonly client: Pick<PubsubClient, 'publish'>,
    private readonly createMissing: (topic: string) => Promise<void>,
  ) {}

  /** Resolves when Pub/Sub has stored the message; rejects with `PubsubError`. */
  send(topic: string, message: OutgoingMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      const pending = this.#pending.get(topic) ?? [];
      this.#pending.set(topic, pending);
      pending.push({ ...message, bytes: Buffer.byteLength(message.text), resolve, reject });
      if (!this.#sending.has(topic)) this.#sending.set(topic, this.#sendAll(topic, pending));
    });
  }

  /** Resolves when no message is pending. */
  async idle(): Promise<void> {
    await Promise.all(this.#sending.values());
  }

  /** Rejects messages that are not in flight. */
  end(error: Error): void {
    for (const pending of this.#pending.values()) for (const one of pending.splice(0)) one.reject(error);
  }

  async #sendAll(topic: string, pending: PendingMessage[]): Promise<void> {
    // Calls of the same event-loop turn share a request.
    await Promise.resolve();
    while (pending.length > 0) await this.#request(topic, pending.splice(0, countOf(pending)));
    this.#sending.delete(topic);
    this.#pending.delete(topic);
  }

  async #request(topic: string, messages: readonly PendingMessage[]): Promise<void> {
    try {
      await this.#publish(topic, messages);
      for (const { resolve } of messages) resolve();
    } catch (error) {
      if (hasCode(error, STATUS.invalidArgument) && messages.length > 1) {
        // Pub/Sub does not name the message: each is sent alone, in order.
        for (const message of messages) await this.#request(topic, [message]);
      } else for (const { reject } of messages) reject(error);
    }
  }

  async #publish(topic: string, messages: readonly OutgoingMessage[]): Promise<void> {
    try {
      await this.client.publish(topic, messages);
    } catch (error) {
      if (!hasCode(error, STATUS.notFound)) throw error;
      await this.createMissing(topic);
      await this.client.publish(topic, messages);
    }
  }
}

/** Returns how many of the oldest messages fit into one request; a larger message is sent alone. */
function countOf(pending: readonly PendingMessage[]): number {
  let bytes = 0;
  const end = pending.findIndex((message, index) => {
    bytes += message.bytes;
    return index > 0 && (bytes > MAX_REQUEST_BYTES || index >= MAX_REQUEST_MESSAGES);
  });
  return end === -1 ? pending.length : end;
}
