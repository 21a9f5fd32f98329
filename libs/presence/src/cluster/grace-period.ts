/** The time of the ledger, on which it is judged. */
export interface GracePeriodHost {
  readonly nowMs: number;
  /** Time after which every node has reported its holdings again. */
  readonly saidAgainMs: number;
  /** Schedules a callback; the result cancels it. */
  after(ms: number, then: () => void): () => void;
}

/** Period in which the store may lack holdings of nodes, because it lost data that they have not reported again yet. */
export class GracePeriod {
  #untilMs = -Infinity;
  #cancel: () => void = () => undefined;

  constructor(
    private readonly ledger: GracePeriodHost,
    /** Called at the end: changes in the meantime may not have been reported. */
    private readonly onOver: () => void,
  ) {}

  /** 0: the store knows everything. */
  get leftMs(): number {
    return Math.max(0, this.#untilMs - this.ledger.nowMs);
  }

  /** Starts or restarts the period. */
  arise(): void {
    const { nowMs, saidAgainMs } = this.ledger;
    this.#cancel();
    this.#untilMs = nowMs + saidAgainMs;
    this.#cancel = this.ledger.after(saidAgainMs, this.onOver);
  }
}
