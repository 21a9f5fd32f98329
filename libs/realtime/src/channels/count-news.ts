import type { ChannelCounted, ChannelTurned } from '@carillon/protocol';

/**
 * The subscription count last delivered to the subscribers of a channel. Updates may arrive out of order; the newest
 * wins.
 */
export class CountNews {
  #serial = 0;
  #count: number | null = null;

  /** Returns the fact if it is not older than the last one delivered; else null. */
  hear<Fact extends ChannelCounted | ChannelTurned>(fact: Fact): Fact | null {
    if (fact.serial < this.#serial) return null;
    this.#serial = fact.serial;
    if (fact.kind === 'channel_counted') this.#count = fact.count;
    return fact;
  }

  /** Whether this is the last count delivered. */
  knows(count: number): boolean {
    return this.#count === count;
  }
}
