import type { Ledger } from './ledger.js';

export interface DoubtParts {
  readonly ledger: Pick<Ledger, 'after' | 'nowMs'>;
  /** How long it lasts each time: by then every node has said again what it holds. */
  readonly lastsMs: number;
  /** It is over, and it may not have been told all that changed meanwhile. */
  readonly onOver: () => void;
}

/** Whether nodes may hold what the store does not know of, because it may have lost it and they have yet to say it again. */
export class Doubt {
  #untilMs = -Infinity;
  #cancel: () => void = () => undefined;

  constructor(private readonly parts: DoubtParts) {}

  /** 0: the store knows everything. */
  get leftMs(): number {
    return Math.max(0, this.#untilMs - this.parts.ledger.nowMs);
  }

  /** Begins, or begins anew. */
  arise(): void {
    const { ledger, lastsMs, onOver } = this.parts;
    this.#cancel();
    this.#untilMs = ledger.nowMs + lastsMs;
    this.#cancel = ledger.after(lastsMs, onOver);
  }
}
