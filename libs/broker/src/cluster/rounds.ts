import type { Session } from './wire.js';

export interface RoundsOptions {
  /** Time in which further operations may join a round. */
  readonly coalesceMs: number;
  /** Amount of work that starts a round immediately. */
  readonly coalesceMax: number;
  /** Returns the amount of pending work. */
  readonly work: () => number;
  /** Does some of it. */
  readonly some: (session: Session) => Promise<void>;
  /** Called when the session misbehaves. */
  readonly onFault: (session: Session, reason: string) => void;
}

/** Batches operations on a session into consecutive rounds. */
export class Rounds {
  #session: Session | null = null;
  #round: 'none' | 'soon' | 'running' = 'none';
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly options: RoundsOptions) {}

  /** Current session; null while disconnected. */
  get session(): Session | null {
    return this.#session;
  }

  attach(session: Session): void {
    this.#session = session;
    this.plan();
  }

  /** Rounds of this session end. */
  detach(): void {
    this.#session = null;
    this.#round = 'none';
  }

  close(): void {
    this.#session = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** Sees to a round, now when there is much to do, else when others had time to join. */
  plan(): void {
    const work = this.options.work();
    if (this.#session === null || this.#round === 'running' || work === 0) return;
    if (work >= this.options.coalesceMax) void this.#run(this.#session);
    else if (this.#round === 'none') {
      this.#round = 'soon';
      this.#timer = setTimeout(() => {
        if (this.#round === 'soon' && this.#session !== null) void this.#run(this.#session);
      }, this.options.coalesceMs);
    }
  }

  async #run(session: Session): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#round = 'running';
    const { work, some, onFault } = this.options;
    try {
      while (session === this.#session && work() > 0) await some(session);
    } catch (error) {
      onFault(session, error instanceof Error ? error.message : 'unknown');
    }
    if (session === this.#session) this.#round = 'none';
  }
}
