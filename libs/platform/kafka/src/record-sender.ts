import type { Producer } from 'kafkajs';

/** Limit of one produce request; a larger record is sent alone. Below the default limit of brokers. */
const MAX_REQUEST_BYTES = 512 * 1024;
const MAX_REQUEST_RECORDS = 1000;

interface PendingRecord {
  readonly topic: string;
  readonly key: string;
  readonly value: Buffer;
  /** Absent: chosen by the key. */
  readonly partition?: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export interface RecordSenderOptions {
  readonly producer: Producer;
  readonly timeoutMs: number;
  /** The error of records that were not confirmed when the sender ended, and of later ones. */
  readonly lostError: (reason: string) => Error;
  /** Called once when a request fails; the sender has ended by then. */
  readonly onFailure: (reason: string) => void;
}

/**
 * Sends records in the order of the calls. One produce request is in flight at a time and carries all records that
 * arrived meanwhile. The caller bounds the number of pending records.
 */
export class RecordSender {
  #pending: PendingRecord[] = [];
  #isSending = false;
  #endReason: string | null = null;
  #idle: Promise<void> = Promise.resolve();

  constructor(private readonly options: RecordSenderOptions) {}

  /** Resolves when all in-sync replicas have the record (`acks=all`). */
  send(topic: string, key: string, text: string, partition?: number): Promise<void> {
    if (this.#endReason !== null) return Promise.reject(this.options.lostError(this.#endReason));
    return new Promise((resolve, reject) => {
      const where = partition === undefined ? {} : { partition };
      this.#pending.push({ topic, key, value: Buffer.from(text), ...where, resolve, reject });
      if (!this.#isSending) this.#idle = this.#sendAll();
    });
  }

  /** Resolves when no record is pending. */
  idle(): Promise<void> {
    return this.#idle;
  }

  /** Rejects pending and later records with `lostError`. Idempotent. */
  end(reason: string): void {
    this.#endReason ??= reason;
    for (const record of this.#pending.splice(0)) record.reject(this.options.lostError(reason));
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    // Calls of the same event-loop turn share a request.
    await Promise.resolve();
    while (this.#pending.length > 0) await this.#request(this.#pending.splice(0, this.#nextCount()));
    this.#isSending = false;
  }

  #nextCount(): number {
    let bytes = 0;
    const end = this.#pending.findIndex(({ value }, index) => {
      bytes += value.length;
      return index > 0 && (bytes > MAX_REQUEST_BYTES || index >= MAX_REQUEST_RECORDS);
    });
    return end === -1 ? this.#pending.length : end;
  }

  async #request(records: readonly PendingRecord[]): Promise<void> {
    try {
      await this.options.producer.sendBatch({
        acks: -1,
        timeout: this.options.timeoutMs,
        topicMessages: byTopic(records),
      });
      for (const { resolve } of records) resolve();
    } catch (error) {
      await this.#failed(records, error);
    }
  }

  async #failed(records: readonly PendingRecord[], error: unknown): Promise<void> {
    if (isTooLarge(error)) {
      // The broker does not name the record: each is sent alone, in order.
      if (records.length > 1) for (const record of records) await this.#request([record]);
      else records[0]?.reject(new RecordTooLarge());
      return;
    }
    const reason = error instanceof Error ? error.message : 'produce request failed';
    for (const { reject } of records) reject(this.options.lostError(reason));
    this.end(reason);
    this.options.onFailure(reason);
  }
}

/** The broker's `max.message.bytes` is below the size of the record. */
class RecordTooLarge extends Error {
  override readonly name = 'RecordTooLarge';
  readonly type = 'MESSAGE_TOO_LARGE';

  constructor() {
    super('too large for the broker');
  }
}

type Message = Pick<PendingRecord, 'key' | 'partition' | 'value'>;

function byTopic(records: readonly PendingRecord[]): { topic: string; messages: Message[] }[] {
  const topics = new Map<string, Message[]>();
  for (const { topic, key, value, partition } of records) {
    const message = partition === undefined ? { key, value } : { key, value, partition };
    const ofTopic = topics.get(topic);
    if (ofTopic === undefined) topics.set(topic, [message]);
    else ofTopic.push(message);
  }
  return [...topics].map(([topic, messages]) => ({ topic, messages }));
}

/** Whether the error, or a cause of it, reports a record above the broker's size limit. */
export function isTooLarge(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) {
    if ('type' in one && (one.type === 'MESSAGE_TOO_LARGE' || one.type === 'RECORD_LIST_TOO_LARGE'))
      return true;
  }
  return false;
}
