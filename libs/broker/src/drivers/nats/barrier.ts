import { BrokerQuestion } from './broker-question.js';

/** A question this long after the one before is put at once; an answer costs more than a message. */
const APART_MS = 3;
/**
 * Longest time that a ping waits for a message to be sent with. Longer than the interval of pings: on a busy
 * connection no timer may overtake the next message, which would cost a wake-up and a write.
 */
const LATE_MS = 6;
/** The same while the last timer was cancelled by a message: the sender is likely to send again. */
const BUSY_LATE_MS = 12;
/**
 * Pings sent immediately after one has waited in vain: the sender may publish its next message only after the
 * confirmation.
 */
const AT_ONCE = 16;

export interface BarrierParts {
  /** Flushes the pending messages. Called at the end of an event-loop turn. */
  readonly leave: () => void;
  /**
   * Writes the pending messages and a ping behind them before it returns. Calls back with the failure, or null when
   * answered.
   */
  readonly ask: (answered: (failure: Error | null) => void) => void;
}

/**
 * Pings to a broker, each of which confirms all earlier messages. Messages of one event-loop turn are flushed
 * together. The ping follows after a delay; on a busy connection it is written with the messages sent about 3 ms
 * later, and confirms them too.
 */
export class Barrier {
  #next: BrokerQuestion | null = null;
  /** Questions without an answer, in the order they were put and will be answered. */
  readonly #put: BrokerQuestion[] = [];
  #askedAtMs = -Infinity;
  /** Questions still to be put at once. */
  #atOnce = 0;
  #isTurnEnding = false;
  #isWaiting = false;

  constructor(private readonly parts: BarrierParts) {}

  /**
   * Resolves when the broker has answered a ping written after all messages sent so far. Callers that share a ping
   * share the promise.
   */
  pass(): Promise<void> {
    return this.#question().answered;
  }

  /** The same, but rejects with `Refused` where the broker took only a part of it. */
  taken(): Promise<void> {
    return this.#question().taken;
  }

  /**
   * Records that the broker refused the message to an address. The broker processes commands in order, so it belongs
   * to the first unanswered ping, or to the next one if none is open.
   */
  refused(address: string): void {
    const [first = this.#next] = this.#put;
    first?.refuse(address);
  }

  #question(): BrokerQuestion {
    if (!this.#isTurnEnding) setImmediate(this.#endTurn);
    this.#isTurnEnding = true;
    this.#next ??= new BrokerQuestion();
    return this.#next;
  }

  readonly #endTurn = (): void => {
    this.#isTurnEnding = false;
    const isApart = performance.now() - this.#askedAtMs >= APART_MS;
    if (this.#next !== null && (isApart || this.#atOnce > 0)) {
      if (this.#atOnce > 0) this.#atOnce -= 1;
      this.#ask(this.#next);
      return;
    }
    this.parts.leave();
    if (this.#next !== null) this.#wait(LATE_MS);
  };

  #wait(ms: number): void {
    if (!this.#isWaiting) setTimeout(this.#endWait, ms);
    this.#isWaiting = true;
  }

  /** The timer may have been set for one that has left since. */
  readonly #endWait = (): void => {
    this.#isWaiting = false;
    if (this.#next === null) return;
    if (performance.now() - this.#next.sinceMs < LATE_MS) {
      this.#wait(BUSY_LATE_MS);
      return;
    }
    this.#atOnce = AT_ONCE;
    this.#ask(this.#next);
  };

  #ask(question: BrokerQuestion): void {
    this.#next = null;
    this.#askedAtMs = performance.now();
    this.#put.push(question);
    this.parts.ask(this.#answered);
  }

  readonly #answered = (failure: Error | null): void => {
    this.#put.shift()?.settle(failure);
  };
}
