import type { Clock } from '../connection/clock.js';
import { CarillonError } from '../error.js';

/** The result of a sent event. */
export interface Receipt {
  readonly id: string;
  /** Position of the event in the channel; null: it has none, or it was not acknowledged. */
  readonly streamId: string | null;
  readonly serial: number | null;
  /** False: the service does not acknowledge events, and the event was only written to the connection. */
  readonly acknowledged: boolean;
}

/** An event on its way. A rejection that nothing handles raises no unhandled rejection. */
export type Sending = Promise<Receipt> & { readonly id: string };

interface Pending {
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (error: CarillonError) => void;
  readonly stopTimer: () => void;
}

/** Promises of the events of one channel that have no result yet, by event id. */
export class Receipts {
  readonly #sendings = new Map<string, Sending>();
  readonly #pending = new Map<string, Pending>();

  constructor(
    private readonly channel: string,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the promise of an event; the same one while an event of this id is pending. `onTimeout` is called before the promise
   * rejects with `timeout`; `timeoutMs` 0 means no timeout.
   */
  of(id: string, timeoutMs: number, onTimeout: () => void): Sending {
    const known = this.#sendings.get(id);
    if (known !== undefined) return known;
    const timedOut = (): void => {
      onTimeout();
      const text = `The event was not acknowledged within ${timeoutMs} ms`;
      this.reject(id, new CarillonError(text, { channel: this.channel, reason: 'timeout' }));
    };
    const promise = new Promise<Receipt>((resolve, reject) => {
      const stopTimer = timeoutMs === 0 ? () => undefined : this.clock.after(timeoutMs, timedOut);
      this.#pending.set(id, { resolve, reject, stopTimer });
    });
    promise.catch(() => undefined);
    const sending = Object.assign(promise, { id });
    this.#sendings.set(id, sending);
    return sending;
  }

  resolve(id: string, result: Omit<Receipt, 'id'>): void {
    this.#take(id)?.resolve({ id, ...result });
  }

  reject(id: string, error: CarillonError): void {
    this.#take(id)?.reject(error);
  }

  rejectAll(error: CarillonError): void {
    for (const id of this.#pending.keys()) this.reject(id, error);
  }

  #take(id: string): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    this.#sendings.delete(id);
    pending?.stopTimer();
    return pending;
  }
}
