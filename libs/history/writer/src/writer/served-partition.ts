import type { LaneAddress, LaneBroker, LaneHandler } from '@carillon/broker';
import type { Lane } from '../lane/lane.js';

/** Handlers of the two addresses of a lane. */
export interface StationHandlers {
  readonly commit: LaneHandler;
  readonly read: LaneHandler;
}

/** A lane that this writer serves, is about to serve, or is about to give up. */
export class ServedPartition {
  state: 'taking' | 'served' | 'releasing' = 'taking';

  constructor(
    readonly number: number,
    readonly lane: Lane,
    private readonly broker: LaneBroker,
    private readonly handlers: StationHandlers,
  ) {}

  /** Settles when requests come here. Rejects when they do not, and none will. */
  async take(): Promise<void> {
    try {
      await Promise.all(
        this.#addresses.map((address) => this.broker.serve(address, this.handlers[address.use])),
      );
      if (this.state !== 'taking') throw new Error('given up while it was taken');
    } catch (error) {
      await this.#stop();
      throw error;
    }
    this.state = 'served';
  }

  /** Resolves when no further requests arrive; accepted ones are still in progress. */
  async release(): Promise<void> {
    this.state = 'releasing';
    await this.#stop();
  }

  async #stop(): Promise<void> {
    await Promise.all(this.#addresses.map((address) => this.broker.stopServing(address)));
  }

  get #addresses(): readonly LaneAddress[] {
    return [
      { use: 'commit', lane: this.number },
      { use: 'read', lane: this.number },
    ];
  }
}
