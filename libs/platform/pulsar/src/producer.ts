import { topicPath } from './address.js';
import type { PulsarClientOptions } from './client-options.js';
import { PulsarSocket } from './socket.js';

export interface ProducerOptions extends PulsarClientOptions {
  readonly topic: string;
  /** Makes the error of unconfirmed messages when the connection ends. */
  readonly lostError: (reason: string) => Error;
  /** Called once when the producer cannot continue. */
  readonly onLost: (reason: string) => void;
}

export interface OutgoingMessage {
  readonly text: string;
  /** Shared subscriptions deliver it that much later. Absent: immediately. */
  readonly deliverAfterMs?: number;
  readonly properties?: Readonly<Record<string, string>>;
}

/** The broker refused one message; the producer continues. */
export class MessageRefused extends Error {
  override readonly name = 'MessageRefused';
}

/**
 * Largest payload of one message: the WebSocket API takes frames of 1 MiB by default (`webSocketMaxTextFrameSize`), with
 * the payload in Base64.
 */
export const MAX_PAYLOAD_BYTES = 760 * 1024;
/** Unconfirmed messages of one producer. Its users bound theirs below that. */
const MAX_PENDING = 100_000;

interface Pending {
  readonly resolve: (messageId: string) => void;
  readonly reject: (error: Error) => void;
  readonly deadlineMs: number;
}

/**
 * Producer of one topic. Messages are stored in the order of the calls. One that is not confirmed within the time-out
 * ends the producer as a whole, because the order of later ones would be unknown.
 */
export class PulsarProducer {
  readonly #pending = new Map<string, Pending>();
  #socket: PulsarSocket | null = null;
  #waiting: Readonly<Record<string, unknown>>[] = [];
  #sequence = 0;
  #isOver = false;
  #timer: NodeJS.Timeout | null = null;
  readonly opened: Promise<void>;

  /** Connects in the background; messages sent before wait. */
  constructor(private readonly options: ProducerOptions) {
    this.opened = this.#open();
    this.opened.catch(() => undefined);
  }

  /** Resolves with the id of the stored message. */
  send({ text, deliverAfterMs = 0, properties }: OutgoingMessage): Promise<string> {
    if (this.#isOver) return Promise.reject(this.options.lostError('the connection was closed'));
    const payload = Buffer.from(text, 'utf8');
    if (payload.byteLength > MAX_PAYLOAD_BYTES) {
      const size = `message of ${payload.byteLength} bytes`;
      return Promise.reject(new MessageRefused(`${size} exceeds the limit of ${MAX_PAYLOAD_BYTES} bytes`));
    }
    if (this.#pending.size >= MAX_PENDING)
      return Promise.reject(new MessageRefused(`${MAX_PENDING} messages wait for confirmation`));
    const context = String((this.#sequence += 1));
    const frame = {
      payload: payload.toString('base64'),
      context,
      ...(properties === undefined ? {} : { properties }),
      ...(deliverAfterMs > 0 ? { deliverAfterMs: Math.ceil(deliverAfterMs) } : {}),
    };
    return new Promise((resolve, reject) => {
      this.#pending.set(context, {
        resolve,
        reject,
        deadlineMs: performance.now() + this.options.timeoutMs,
      });
      this.#watch();
      if (this.#socket === null) this.#waiting.push(frame);
      else this.#socket.send(frame);
    });
  }

  /** Resolves when all messages are confirmed, or the producer has ended. */
  async idle(): Promise<void> {
    while (this.#pending.size > 0 && !this.#isOver) {
      await new Promise<void>((resolve) => setTimeout(resolve, 5));
    }
  }

  /** Rejects unconfirmed messages and closes the connection. Idempotent. */
  async close(): Promise<void> {
    this.#finish('the producer was closed');
    await this.#socket?.close();
  }

  async #open(): Promise<void> {
    const { address, token, block, timeoutMs, topic } = this.options;
    try {
      const socket = await PulsarSocket.open({
        url: `${address.base}/ws/v2/producer/${topicPath(topic)}?sendTimeoutMillis=${timeoutMs}`,
        token,
        block,
        timeoutMs,
        onFrame: (frame) => this.#answered(frame),
        onLost: (reason) => this.#lose(reason),
      });
      if (this.#isOver) {
        await socket.close();
        return;
      }
      this.#socket = socket;
      for (const frame of this.#waiting) socket.send(frame);
      this.#waiting = [];
    } catch (error) {
      this.#lose(error instanceof Error ? error.message : 'the broker cannot be reached');
      throw error;
    }
  }

  #answered({ context, result, messageId, errorMsg }: Readonly<Record<string, unknown>>): void {
    const key = typeof context === 'string' ? context : '';
    const pending = this.#pending.get(key);
    if (pending === undefined) return;
    if (result === 'ok' && typeof messageId === 'string') {
      this.#pending.delete(key);
      pending.resolve(messageId);
    } else {
      this.#lose(`message not stored: ${typeof errorMsg === 'string' ? errorMsg : String(result)}`);
    }
  }

  /** Answers come in the order of the messages, so that the oldest one decides. */
  #watch(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      const [oldest] = this.#pending.values();
      if (oldest === undefined) return;
      if (oldest.deadlineMs <= performance.now()) this.#lose(`no answer in ${this.options.timeoutMs} ms`);
      else this.#watch();
    }, this.options.timeoutMs);
  }

  #lose(reason: string): void {
    if (this.#isOver) return;
    this.#finish(reason);
    void this.#socket?.close();
    this.options.onLost(reason);
  }

  #finish(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#waiting = [];
    for (const { reject } of this.#pending.values()) reject(this.options.lostError(reason));
    this.#pending.clear();
  }
}
