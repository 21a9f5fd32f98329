const ORDER = ['STARTING', 'RUNNING', 'DRAINING', 'STOPPED'] as const;

/** Phase of a process. */
export type ProcessPhase = (typeof ORDER)[number];

/** The life of this process: it only goes forward. Probes and admission read it; start and stop move it. */
export class ProcessState {
  #current: ProcessPhase = 'STARTING';

  get current(): ProcessPhase {
    return this.#current;
  }

  /** Moves on; going back, or staying, changes nothing. True when it moved. */
  advance(to: ProcessPhase): boolean {
    if (ORDER.indexOf(to) <= ORDER.indexOf(this.#current)) return false;
    this.#current = to;
    return true;
  }
}
