import type { PresenceClock } from '../clock.js';
import type { Reaper } from './reaper.js';

export interface SweepsParts {
  readonly reaper: Reaper;
  readonly clock: PresenceClock;
  readonly everyMs: number;
  /** Id of this node. */
  readonly nodeId: () => string;
  /** Whether other nodes may still have to report holdings that the store lost. */
  readonly isGracePeriod: () => boolean;
  readonly onTrouble: (error: unknown) => void;
}

/** Clears up after dead nodes again and again. */
export class Sweeps {
  #cancel: () => void = () => undefined;
  #sweeping: Promise<void> | null = null;
  #isStopped = false;

  constructor(private readonly parts: SweepsParts) {}

  /** An answer is awaited. */
  get isBusy(): boolean {
    return this.#sweeping !== null;
  }

  /** Sweeps now, and then always again. */
  begin(): void {
    this.#after(0);
  }

  /** Starts no further sweep. */
  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  #after(ms: number): void {
    if (this.#isStopped) return;
    this.#cancel = this.parts.clock.after(ms, () => {
      this.#sweeping = this.#sweep().finally(() => {
        this.#sweeping = null;
        this.#after(this.parts.everyMs);
      });
    });
  }

  async #sweep(): Promise<void> {
    const { reaper, nodeId, isGracePeriod, onTrouble } = this.parts;
    if (isGracePeriod()) return;
    try {
      await reaper.sweep(nodeId());
    } catch (error) {
      if (!this.#isStopped) onTrouble(error);
    }
  }
}
