import { BrokerQuestion } from './broker-question.js';

/** A question this long after the one before is put at once; an answer costs more than a message. */
const APART_MS = 3;
/**
 * How long a question may wait for something else that is sent, to leave with it. Longer than two questions are apart:
 * what is sent often is not to be overtaken by a timer, which costs a wake-up and a write of its own.
 */
const LATE_MS = 6;
/** The same when the timer was last needed by one that has left since: whoever sends so often sends again. */
const BUSY_LATE_MS = 12;
/** After one has waited in vain, so many are put at once: whoever sends may send the next after the answer only. */
const AT_ONCE = 16;

export interface BarrierParts {
  /** Hands over what waits to be sent; called at the end of a turn of the event loop. */
  readonly leave: () => void;
  /**
   * Hands over what waits to be sent and the question behind it, in one piece, before it returns. Tells why there is no
   * answer; null: there is.
   */
  readonly ask: (answered: (failure: Error | null) => void) => void;
}

/**
 * Questions to a broker, each of which confirms all that was sent before it. What is sent in one turn of the event loop
 * leaves together. The question about it leaves with it after a pause; on a busy connection it leaves with what is sent
 * about 3 ms later, and confirms that too.
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
   * Settles when the broker has answered a question that was put after everything sent until now. All who share a
   * question get the same promise.
   */
  pass(): Promise<void> {
    return this.#question().answered;
  }

  /** The same, but rejects with `Refused` where the broker took only a part of it. */
  taken(): Promise<void> {
    return this.#question().taken;
  }

  /**
   * The broker says that it did not take what was sent to this address. It works through what it is sent in order, so
   * that is about the first question it has not answered, and without one about what no question was put for so far.
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
