import { Acknowledger } from './acknowledger.js';
import type { PubsubError } from './failures.js';
import { incoming, type IncomingMessage, type RawMessage } from './messages.js';

/** Callbacks of a stream, called synchronously. */
export interface StreamListener {
  message(message: IncomingMessage): void;
  /** The subscription became unreadable; nothing is received afterwards. */
  ended(error: PubsubError): void;
}

/** The part of the library's duplex stream that is used. */
interface RawStream {
  on(event: 'data', listener: (response: RawResponse) => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  write(request: object): unknown;
  end(): unknown;
  cancel(): void;
}

interface RawResponse {
  readonly receivedMessages?: readonly RawMessage[] | null;
}

export interface SubscriptionStreamParts {
  readonly connect: () => RawStream;
  /** Full name of the subscription. */
  readonly name: string;
  readonly acknowledge: (ackIds: readonly string[]) => Promise<void>;
  readonly errorOf: (error: unknown) => PubsubError;
  readonly listener: StreamListener;
}

/** Deadline of deliveries that were not acknowledged, for example because the process died. */
const ACK_DEADLINE_SECONDS = 10;
/**
 * Time that the server may take to end a stream after the client has. A client that is closed before the library began a
 * call causes an unhandled rejection, so a busy process needs more than a moment.
 */
const END_WITHIN_MS = 5000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;

/**
 * Receives a subscription over streaming pull and acknowledges every message when it arrives, so delivery is at most
 * once. Pub/Sub ends streams now and then; the next one is opened after a pause, and the subscription keeps messages
 * meanwhile.
 */
export class SubscriptionStream {
  #stream: RawStream | null = null;
  #timer: NodeJS.Timeout | null = null;
  #failures = 0;
  #isClosed = false;
  readonly #acknowledger: Acknowledger;

  constructor(private readonly parts: SubscriptionStreamParts) {
    this.#acknowledger = new Acknowledger(parts.acknowledge);
    this.#open();
  }

  /**
   * Resolves when no more messages arrive and those that arrived are acknowledged, or that has failed. Until then
   * messages are still received. Idempotent.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#stream !== null) await ended(this.#stream);
    this.#stream = null;
    await this.#acknowledger.idle();
  }

  #open(): void {
    const stream = this.parts.connect();
    this.#stream = stream;
    stream.on('data', (response) => this.#receive(stream, response));
    stream.on('error', (error) => this.#failed(stream, error));
    stream.on('end', () => this.#retry(stream));
    stream.write({ subscription: this.parts.name, streamAckDeadlineSeconds: ACK_DEADLINE_SECONDS });
  }

  #receive(stream: RawStream, { receivedMessages }: RawResponse): void {
    if (this.#stream !== stream) return;
    this.#failures = 0;
    for (const raw of receivedMessages ?? []) {
      const message = incoming(raw);
      // Unacknowledged messages are delivered again, and receivers drop duplicates.
      this.#acknowledger.add(message.ackId).catch(() => undefined);
      this.parts.listener.message(message);
    }
  }

  #failed(stream: RawStream, cause: unknown): void {
    if (this.#stream !== stream) return;
    const error = this.parts.errorOf(cause);
    if (error.isTransient || this.#isClosed) {
      this.#retry(stream);
      return;
    }
    this.#stream = null;
    this.#isClosed = true;
    this.parts.listener.ended(error);
  }

  #retry(stream: RawStream): void {
    if (this.#stream !== stream || this.#isClosed) return;
    this.#stream = null;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS);
    this.#failures += 1;
    this.#timer = setTimeout(() => this.#open(), pauseMs);
  }
}

/**
 * Ends the client's half of the stream and resolves when the server has ended the other one, or did not in time. The
 * library leaks a stream that is cancelled before its call has begun.
 */
function ended(stream: RawStream): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      stream.cancel();
      resolve();
    }, END_WITHIN_MS);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    stream.on('end', end);
    stream.on('error', end);
    stream.end();
  });
}
