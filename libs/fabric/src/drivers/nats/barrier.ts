/**
 * How long after one question the next is put, so that a busy connection is asked once for several messages: an answer
 * costs more than a message. Whoever comes after a pause is asked for at once.
 */
const APART_MS = 1;

export interface BarrierParts {
  /** Hands over what waits to be sent. Called once in a turn of the event loop. */
  readonly leave: () => void;
  /** Puts the question, behind all that has left, before it returns. */
  readonly roundTrip: () => Promise<void>;
}

interface Shared {
  readonly answered: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Round trips to a broker. What is sent in one turn of the event loop leaves together, and the question with it when
 * none is under way and the last is a while ago; whoever comes meanwhile shares the next.
 */
export class Barrier {
  /** Of all who came since the last question. */
  #next: Shared | null = null;
  #isAsking = false;
  #askedAtMs = -Infinity;
  #turn: NodeJS.Immediate | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly parts: BarrierParts) {}

  /**
   * Settles when the broker has answered a question that was put after everything sent until now. All who share a
   * question get the same promise.
   */
  pass(): Promise<void> {
    this.#next ??= shared();
    this.#turn ??= setImmediate(this.#endTurn);
    return this.#next.answered;
  }

  readonly #endTurn = (): void => {
    this.#turn = null;
    this.parts.leave();
    this.#plan();
  };

  /** A timer may be a little early. */
  readonly #endPause = (): void => {
    this.#timer = null;
    this.#plan();
  };

  /** Sees to the next question, if anybody waits for one. */
  #plan(): void {
    if (this.#next === null || this.#isAsking) return;
    const waitMs = this.#askedAtMs + APART_MS - performance.now();
    if (waitMs <= 0) void this.#ask(this.#next);
    else this.#timer ??= setTimeout(this.#endPause, waitMs);
  }

  async #ask({ resolve, reject }: Shared): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#next = null;
    this.#isAsking = true;
    this.#askedAtMs = performance.now();
    // Whoever came after the end of the turn shares this question too.
    this.parts.leave();
    try {
      await this.parts.roundTrip();
      resolve();
    } catch (error) {
      reject(error);
    }
    this.#isAsking = false;
    this.#plan();
  }
}

function shared(): Shared {
  let settle: Pick<Shared, 'resolve' | 'reject'> = { resolve: () => {}, reject: () => {} };
  const answered = new Promise<void>((resolve, reject) => (settle = { resolve, reject }));
  return { answered, ...settle };
}
