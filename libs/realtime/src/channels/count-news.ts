import type { ChannelCounted, ChannelTurned } from '@carillon/protocol';

/** What the subscribers of a channel know of how many they are: news may come in any order, and the newest counts. */
export class CountNews {
  #serial = 0;
  #count: number | null = null;

  /** The fact, if it is not older than what was told last; else null. */
  hear<Fact extends ChannelCounted | ChannelTurned>(fact: Fact): Fact | null {
    if (fact.serial < this.#serial) return null;
    this.#serial = fact.serial;
    if (fact.kind === 'channel_counted') this.#count = fact.count;
    return fact;
  }

  /** Whether this is the last count that was told. */
  knows(count: number): boolean {
    return this.#count === count;
  }
}
