import type { Arrival } from '../arrival.js';
import { HttpTransport, type TransportEvents } from '../http/http-transport.js';
import type { Delivery, Receiver, ReceiverEvents } from './receivers.js';

/** Longest wait of a poll: half of `maxIdleInterval`. */
const POLL_MS = 7500;
/** Time without an open `recv` after which the transport is lost. */
const LOST_MS = 15_000;
/** The same after a streaming `recv` broke. */
const BROKEN_MS = 5000;
/** Time for which the last frames of an ended transport may be read. */
const KEPT_MS = 15_000;
/** Bytes of one delivery; a single frame may be larger. */
const MAX_DELIVERY_BYTES = 128 * 1024;

/** Finds transports by the key of their connection. */
export interface CometKeys {
  renew(keyHash: string, transport: CometTransport): void;
  remove(transport: CometTransport): void;
}

const HEARTBEATS = '[{"action":0}]';

/**
 * Comet transport of a connection. Frames wait here until a `recv` takes them; beyond the write buffer of a socket they wait
 * in the lane of the subscriber, with its bounds.
 */
export class CometTransport extends HttpTransport implements ReceiverEvents {
  /** App of the connection; empty until it is admitted. */
  appId = '';
  /** Whether a `recv` that does not specify it ends after one delivery. */
  isPolling = false;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #receiver: Receiver | null = null;
  #isDelivering = false;
  #isScheduled = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(
    arrival: Arrival,
    events: TransportEvents,
    private readonly keys: CometKeys,
  ) {
    super(arrival, events);
  }

  get bufferedBytes(): number {
    return this.#waitingBytes + (this.#receiver?.bufferedBytes ?? 0);
  }

  /** Sends to this receiver from now on. An earlier one ends. */
  receive(receiver: Receiver): void {
    const before = this.#receiver;
    this.#receiver = receiver;
    before?.end();
    if (receiver.isOnce) this.#after(POLL_MS, () => this.#idle());
    else this.#stopTimer();
    this.#flush();
  }

  gone(receiver: Receiver): void {
    if (this.#receiver !== receiver) return;
    this.#receiver = null;
    this.#awaitReceiver(receiver.isOnce ? LOST_MS : BROKEN_MS);
  }

  override drained(): void {
    super.drained();
  }

  keyChanged(keyHash: string): void {
    this.keys.renew(keyHash, this);
  }

  protected accept(text: string): void {
    this.#waiting.push(text);
    this.#waitingBytes += Buffer.byteLength(text);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  protected finish(): void {
    if (this.#receiver === null) this.#awaitReceiver(KEPT_MS);
    this.#flush();
  }

  protected abort(): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#receiver?.abort();
    this.#forget();
  }

  /** A poll that nothing was sent to for its time. */
  #idle(): void {
    if (this.#isDelivering || this.#waiting.length > 0) return;
    this.#deliver([], HEARTBEATS);
  }

  #flush(): void {
    while (this.#receiver !== null && !this.#isDelivering && this.#waiting.length > 0) {
      const batch = this.#take();
      this.#deliver(batch, `[${batch.join(',')}]`);
    }
    if (!this.isOpen && this.#waiting.length === 0 && !this.#isDelivering) this.#forget();
  }

  #take(): string[] {
    let count = 0;
    let bytes = 0;
    for (const text of this.#waiting) {
      bytes += Buffer.byteLength(text);
      if (count > 0 && bytes > MAX_DELIVERY_BYTES) break;
      count += 1;
    }
    const batch = this.#waiting.splice(0, count);
    this.#waitingBytes = this.#waiting.length === 0 ? 0 : this.#waitingBytes - bytesOf(batch);
    return batch;
  }

  #deliver(batch: readonly string[], text: string): void {
    const receiver = this.#receiver;
    if (receiver === null) return;
    const outcome = receiver.deliver(text);
    if (!(outcome instanceof Promise)) return this.#settle(batch, receiver, outcome);
    this.#isDelivering = true;
    void this.#settleLater(batch, receiver, outcome);
  }

  /** `outcome` never rejects. */
  async #settleLater(
    batch: readonly string[],
    receiver: Receiver,
    outcome: Promise<Delivery>,
  ): Promise<void> {
    const settled = await outcome;
    this.#isDelivering = false;
    this.#settle(batch, receiver, settled);
    this.#flush();
  }

  #settle(batch: readonly string[], receiver: Receiver, outcome: Delivery): void {
    // The client may have the messages or not; it resumes its channels from their positions.
    if (outcome === 'unknown') return this.isOpen ? this.terminate() : this.#forget();
    if (outcome === 'gone') {
      this.#waiting.unshift(...batch);
      this.#waitingBytes += bytesOf(batch);
      return this.gone(receiver);
    }
    if (receiver.isOnce && this.#receiver === receiver) {
      this.#receiver = null;
      this.#awaitReceiver(LOST_MS);
    }
    if (this.bufferedBytes === 0) this.drained();
  }

  #awaitReceiver(withinMs: number): void {
    this.#after(withinMs, () => (this.isOpen ? this.terminate() : this.#forget()));
  }

  #after(ms: number, work: () => void): void {
    this.#stopTimer();
    this.#timer = setTimeout(work, ms).unref();
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #forget(): void {
    this.#stopTimer();
    const receiver = this.#receiver;
    this.#receiver = null;
    receiver?.end();
    this.keys.remove(this);
  }
}

const bytesOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
