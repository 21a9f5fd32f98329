/** The time of the ledger, on which it is judged. */
export interface GracePeriodHost {
  readonly nowMs: number;
  /** By then every node has said again what it holds. */
  readonly saidAgainMs: number;
  /** Calls back so much later; the result cancels it. */
  after(ms: number, then: () => void): () => void;
}

/** Whether nodes may hold what the store does not know of, because it may have lost it and they have yet to say it again. */
export class GracePeriod {
  #untilMs = -Infinity;
  #cancel: () => void = () => undefined;

  constructor(
    private readonly ledger: GracePeriodHost,
    /** It is over, and changes of the time between may not have been told. */
    private readonly onOver: () => void,
  ) {}

  /** 0: the store knows everything. */
  get leftMs(): number {
    return Math.max(0, this.#untilMs - this.ledger.nowMs);
  }

  /** Begins, or begins anew. */
  arise(): void {
    const { nowMs, saidAgainMs } = this.ledger;
    this.#cancel();
    this.#untilMs = nowMs + saidAgainMs;
    this.#cancel = this.ledger.after(saidAgainMs, this.onOver);
  }
}
