import type { Producer } from 'kafkajs';
import { SessionLost } from '../../cluster/wire.js';

/** What goes in one request; a larger message goes alone. Below the size a broker takes unless told otherwise. */
const MAX_REQUEST_BYTES = 512 * 1024;
const MAX_REQUEST_MESSAGES = 1000;

interface Waiting {
  readonly topic: string;
  readonly key: string;
  readonly value: Buffer;
  /** Absent: the one of the key. */
  readonly partition?: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Sends in the order of the calls: one request is on its way at a time, and takes all that has come meanwhile. What is
 * waiting is bounded by whoever calls.
 */
export class Sending {
  #waiting: Waiting[] = [];
  #isSending = false;
  #end: string | null = null;
  #idle: Promise<void> = Promise.resolve();

  constructor(
    private readonly producer: Producer,
    private readonly timeoutMs: number,
    private readonly onFailure: (reason: string) => void,
  ) {}

  /** Settles when the brokers have it. */
  send(topic: string, key: string, text: string, partition?: number): Promise<void> {
    if (this.#end !== null) return Promise.reject(new SessionLost(this.#end));
    return new Promise((resolve, reject) => {
      const where = partition === undefined ? {} : { partition };
      this.#waiting.push({ topic, key, value: Buffer.from(text), ...where, resolve, reject });
      if (!this.#isSending) this.#idle = this.#sendAll();
    });
  }

  /** Resolves when nothing waits. */
  idle(): Promise<void> {
    return this.#idle;
  }

  /** Whatever waits, and whatever comes, is lost with the session. */
  end(reason: string): void {
    this.#end ??= reason;
    for (const one of this.#waiting.splice(0)) one.reject(new SessionLost(reason));
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    // Calls of the same moment share a request.
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#request(this.#waiting.splice(0, this.#nextCount()));
    this.#isSending = false;
  }

  #nextCount(): number {
    let bytes = 0;
    const end = this.#waiting.findIndex(({ value }, index) => {
      bytes += value.length;
      return index > 0 && (bytes > MAX_REQUEST_BYTES || index >= MAX_REQUEST_MESSAGES);
    });
    return end === -1 ? this.#waiting.length : end;
  }

  async #request(messages: readonly Waiting[]): Promise<void> {
    try {
      await this.producer.sendBatch({
        acks: -1,
        timeout: this.timeoutMs,
        topicMessages: byTopic(messages),
      });
      for (const { resolve } of messages) resolve();
    } catch (error) {
      await this.#failed(messages, error);
    }
  }

  async #failed(messages: readonly Waiting[], error: unknown): Promise<void> {
    if (isTooLarge(error)) {
      // The broker names no message: each is asked about alone, in their order.
      if (messages.length > 1) for (const one of messages) await this.#request([one]);
      else messages[0]?.reject(new Error('too large for the broker'));
      return;
    }
    const reason = error instanceof Error ? error.message : 'not sent';
    for (const { reject } of messages) reject(new SessionLost(reason));
    this.end(reason);
    this.onFailure(reason);
  }
}

type Message = Pick<Waiting, 'key' | 'partition' | 'value'>;

function byTopic(messages: readonly Waiting[]): { topic: string; messages: Message[] }[] {
  const topics = new Map<string, Message[]>();
  for (const { topic, key, value, partition } of messages) {
    const message = partition === undefined ? { key, value } : { key, value, partition };
    const ofTopic = topics.get(topic);
    if (ofTopic === undefined) topics.set(topic, [message]);
    else ofTopic.push(message);
  }
  return [...topics].map(([topic, ofTopic]) => ({ topic, messages: ofTopic }));
}

function isTooLarge(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) {
    if ('type' in one && (one.type === 'MESSAGE_TOO_LARGE' || one.type === 'RECORD_LIST_TOO_LARGE'))
      return true;
  }
  return false;
}
