import type { Frame } from '@carillon/realtime';
import type { SendOutcome } from '@carillon/uws';
import { CompatConnection } from '../connection.js';
import type { Transport } from '../transport.js';

/** Notified of the transports of one process, as the gateway is of its sockets. */
export interface TransportEvents {
  /** The client has read: more may be sent. */
  drained(connection: CompatConnection): void;
  closed(connection: CompatConnection, code: number): void;
}

const ABNORMAL = 1006;

/** A transport over HTTP responses. It is on no native topic, so the hub sends each frame to it. */
export abstract class HttpTransport implements Transport {
  readonly isDirect = true;
  #isOpen = true;

  protected constructor(
    public state: unknown,
    private readonly events: TransportEvents,
  ) {}

  /** Bytes that wait for the client. */
  abstract readonly bufferedBytes: number;
  /** Takes a frame, which is always text. */
  protected abstract accept(text: string): void;
  /** Ends the transport after everything that was accepted. */
  protected abstract finish(): void;
  /** Drops the transport and everything that waits. */
  protected abstract abort(): void;

  get isOpen(): boolean {
    return this.#isOpen;
  }

  send(frame: Frame): SendOutcome {
    if (!this.#isOpen) return 'closed';
    this.accept(String(frame));
    return this.bufferedBytes > 0 ? 'buffered' : 'sent';
  }

  cork(work: () => void): void {
    if (this.#isOpen) work();
  }

  ping(): void {}

  subscribe(): boolean {
    return false;
  }

  unsubscribe(): boolean {
    return false;
  }

  isSubscribed(): boolean {
    return false;
  }

  publish(): boolean {
    return false;
  }

  end(code = 1000): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.finish();
    this.#closed(code);
  }

  terminate(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.abort();
    this.#closed(ABNORMAL);
  }

  /** The client has read everything. */
  protected drained(): void {
    if (this.#isOpen && this.state instanceof CompatConnection) this.events.drained(this.state);
  }

  #closed(code: number): void {
    const { state } = this;
    this.state = null;
    if (state instanceof CompatConnection) this.events.closed(state, code);
  }
}
