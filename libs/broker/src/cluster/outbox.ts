import { Refused, SessionLost, type Session } from './wire.js';

/** All that the outbox needs of one. */
type Carrier = Pick<Session, 'publish'>;

/** Longest time that a message waits for the broker before its publish rejects. */
const SEND_WITHIN_MS = 2000;
/**
 * Messages handed over and not confirmed at one time. Those are sent again when the session is lost, and receivers
 * remember more than these to notice it.
 */
const MAX_UNCONFIRMED = 2048;
/** Settled messages in front of the line before it is cut. */
const CUT_AFTER = 1024;

interface Letter {
  readonly address: string;
  readonly text: string;
  readonly key: string;
  readonly expiresAtMs: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  isSettled: boolean;
}

/** Letters that the broker confirms at once. */
interface Batch {
  readonly confirmed: Promise<void>;
  readonly session: Carrier;
  readonly letters: Letter[];
}

export interface OutboxBounds {
  readonly maxLetters: number;
  /** In UTF-16 units. */
  readonly maxUnits: number;
}

const BOUNDS: OutboxBounds = { maxLetters: 10_000, maxUnits: 64 * 1024 * 1024 };

/**
 * FIFO of messages to the broker. It outlives sessions: unconfirmed messages are sent again by the next session, in
 * order, for up to 2 s. A full outbox rejects immediately.
 */
export class Outbox {
  /** In the order of sending: settled ones and handed-over ones up to `#next`, then those that wait. */
  #line: Letter[] = [];
  #head = 0;
  #next = 0;
  #unconfirmed = 0;
  #waiting = 0;
  #units = 0;
  #session: Carrier | null = null;
  /** The last one; null: it is confirmed, or there was none. */
  #batch: Batch | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(private readonly bounds: OutboxBounds = BOUNDS) {}

  /** Messages that the broker has not confirmed. */
  get size(): number {
    return this.#waiting;
  }

  /** Whether another message would be refused. */
  get isFull(): boolean {
    return this.#waiting >= this.bounds.maxLetters || this.#units >= this.bounds.maxUnits;
  }

  /**
   * Resolves when the broker has confirmed the message; rejects if it refused or the outcome is unknown. Messages of
   * one address and key keep their order.
   */
  send(address: string, text: string, key = ''): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('the broker is closed'));
    if (this.isFull) return Promise.reject(new Error('too many messages wait for the broker'));
    return new Promise((resolve, reject) => {
      const expiresAtMs = performance.now() + SEND_WITHIN_MS;
      this.#line.push({ address, text, key, expiresAtMs, resolve, reject, isSettled: false });
      this.#waiting += 1;
      this.#units += text.length;
      this.#timer ??= setTimeout(() => this.#expire(), SEND_WITHIN_MS);
      this.#pump();
    });
  }

  attach(session: Carrier): void {
    this.#session = session;
    this.#pump();
  }

  /** Detaches the lost session. The next session starts with the unconfirmed messages. */
  detach(): void {
    this.#session = null;
    this.#next = this.#head;
    this.#unconfirmed = 0;
  }

  /** Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.detach();
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const letter of this.#line) this.#settle(letter, new Error('the broker is closed'));
  }

  #pump(): void {
    const session = this.#session;
    if (session === null) return;
    while (this.#unconfirmed < MAX_UNCONFIRMED) {
      const letter = this.#line[this.#next];
      if (letter === undefined) return;
      this.#next += 1;
      if (letter.isSettled) continue;
      this.#unconfirmed += 1;
      this.#hand(letter, session);
    }
  }

  #hand(letter: Letter, session: Carrier): void {
    const confirmed = session.publish(letter.address, letter.text, letter.key);
    if (this.#batch?.confirmed === confirmed) {
      this.#batch.letters.push(letter);
      return;
    }
    const batch: Batch = { confirmed, session, letters: [letter] };
    this.#batch = batch;
    confirmed.then(
      () => this.#told(batch, null),
      (error: unknown) => this.#told(batch, error),
    );
  }

  #told(batch: Batch, failure: unknown): void {
    if (this.#batch === batch) this.#batch = null;
    // Messages stay queued: the loss of the session is about to be reported, and the next session sends them again.
    if (failure instanceof SessionLost) return;
    const isCurrent = batch.session === this.#session;
    if (failure !== null && !isCurrent) return;
    if (isCurrent) this.#unconfirmed -= batch.letters.length;
    for (const letter of batch.letters) this.#settle(letter, failureOf(letter, failure));
    this.#pump();
  }

  #settle(letter: Letter, failure: unknown): void {
    if (letter.isSettled) return;
    letter.isSettled = true;
    this.#waiting -= 1;
    this.#units -= letter.text.length;
    if (failure === null) letter.resolve();
    else letter.reject(failure instanceof Error ? failure : new Error('refused by the broker'));
    this.#advance();
  }

  #advance(): void {
    while (this.#line[this.#head]?.isSettled === true) this.#head += 1;
    this.#next = Math.max(this.#next, this.#head);
    if (this.#head < CUT_AFTER || this.#head * 2 < this.#line.length) return;
    this.#line = this.#line.slice(this.#head);
    this.#next -= this.#head;
    this.#head = 0;
  }

  /** Rejects expired messages. The queue is in sending order, so they are at its head. */
  #expire(): void {
    this.#timer = null;
    const nowMs = performance.now();
    for (let first = this.#line[this.#head]; first !== undefined; first = this.#line[this.#head]) {
      if (first.expiresAtMs > nowMs) {
        this.#timer = setTimeout(() => this.#expire(), first.expiresAtMs - nowMs + 1);
        return;
      }
      this.#settle(first, new Error(`not confirmed by the broker in ${SEND_WITHIN_MS} ms`));
    }
  }
}

/** Returns the failure of one message of a batch; null if the broker accepted it. */
function failureOf({ address }: Letter, failure: unknown): unknown {
  return failure instanceof Refused && !failure.addresses.has(address) ? null : failure;
}
