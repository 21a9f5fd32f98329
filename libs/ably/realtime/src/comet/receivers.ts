import type { CometRelay } from '@carillon/realtime';
import type { HttpResponse, StreamedBody } from '@carillon/uws';
import { answerJson, streamHeaders } from '../http/answers.js';

/** Outcome of a delivery. `gone`: nothing was delivered; `unknown`: it may have been delivered. */
export type Delivery = 'delivered' | 'gone' | 'unknown';

/** An open `recv` or `connect` request: it takes arrays of protocol messages, as JSON text. */
export interface Receiver {
  /** Whether it ends with its first delivery. */
  readonly isOnce: boolean;
  readonly bufferedBytes: number;
  deliver(text: string): Delivery | Promise<Delivery>;
  /** Ends it; one without a delivery answers an empty array. */
  end(): void;
  /** Drops it. */
  abort(): void;
}

/** Notified when the client of a receiver disconnects or has read everything. */
export interface ReceiverEvents {
  gone(receiver: Receiver): void;
  drained(): void;
}

const EMPTY = '[]';

/** A response that is answered with one array. */
export class PollReceiver implements Receiver {
  readonly isOnce = true;
  readonly bufferedBytes = 0;

  constructor(
    private readonly response: HttpResponse,
    events: ReceiverEvents,
  ) {
    response.onAbort = () => events.gone(this);
  }

  deliver(text: string): Delivery {
    if (this.response.finished) return 'gone';
    this.response.onAbort = null;
    // Clients that read by lines need the end of the line.
    answerJson(this.response, 200, `${text}\n`);
    return 'delivered';
  }

  end(): void {
    this.deliver(EMPTY);
  }

  abort(): void {
    this.response.onAbort = null;
    this.response.destroy();
  }
}

/** A response that stays open, with one array per line. */
export class StreamReceiver implements Receiver {
  readonly isOnce = false;
  readonly #body: StreamedBody | null;

  constructor(response: HttpResponse, events: ReceiverEvents) {
    streamHeaders(response, 'application/json');
    // White space between two arrays.
    this.#body = response.openBody(' ');
    if (this.#body === null) return;
    this.#body.onGone = () => events.gone(this);
    this.#body.onDrain = () => events.drained();
  }

  get isOpen(): boolean {
    return this.#body?.isOpen === true;
  }

  get bufferedBytes(): number {
    return this.#body?.bufferedBytes ?? 0;
  }

  deliver(text: string): Delivery {
    if (!this.isOpen) return 'gone';
    this.#body?.write(`${text}\n`);
    return 'delivered';
  }

  end(): void {
    this.#body?.end();
  }

  abort(): void {
    this.#body?.close();
  }
}

/** A receiver for the response to a `recv` or `connect`. */
export const receiverOf = (isPoll: boolean, response: HttpResponse, events: ReceiverEvents): Receiver =>
  isPoll ? new PollReceiver(response, events) : new StreamReceiver(response, events);

/** A receiver for a connection of another node, which decides on its form. */
export class LazyReceiver {
  #receiver: Receiver | null = null;

  constructor(
    private readonly response: HttpResponse,
    private readonly events: ReceiverEvents,
  ) {}

  get isStarted(): boolean {
    return this.#receiver !== null;
  }

  get bufferedBytes(): number {
    return this.#receiver?.bufferedBytes ?? 0;
  }

  /** Starts the response, once. */
  open(isPoll: boolean): Receiver {
    this.#receiver ??= receiverOf(isPoll, this.response, this.events);
    return this.#receiver;
  }

  /** Ends the response; one that has not started answers an empty array. */
  end(): void {
    this.open(true).end();
  }

  abort(): void {
    this.open(true).abort();
  }
}

/** A receiver on another node. */
export class RemoteReceiver implements Receiver {
  readonly bufferedBytes = 0;

  constructor(
    private readonly relay: Pick<CometRelay, 'forward'>,
    private readonly appId: string,
    private readonly id: string,
    readonly isOnce: boolean,
  ) {}

  async deliver(text: string): Promise<Delivery> {
    const reply = await this.#send(text, this.isOnce);
    if (reply === 'timeout') return 'unknown';
    return reply?.status === 200 ? 'delivered' : 'gone';
  }

  end(): void {
    void this.#send(EMPTY, true);
  }

  abort(): void {
    this.end();
  }

  #send(body: string, isOnce: boolean): ReturnType<CometRelay['forward']> {
    const request = { verb: 'deliver', keyHash: '', receiver: this.id, isOnce, body } as const;
    return this.relay.forward(this.appId, request);
  }
}
