import { randomUUID } from 'node:crypto';
import type { BrokerNames } from '@carillon/contracts';
import { SessionLost } from '../src/cluster/wire.js';
import { addressName } from '../src/lanes/address-key.js';
import { Correspondence } from '../src/lanes/correspondence.js';
import type { LaneLine, TakeRequest } from '../src/lanes/line.js';
import type { Heard, LaneAddress } from '../src/lanes/port.js';

export interface MemoryLanesParts {
  readonly names: BrokerNames;
  readonly isOver: () => boolean;
  /** With how many sessions take it. */
  readonly carry: (address: string, text: string) => Promise<number>;
  readonly confirms: () => Promise<void>;
  readonly isRefused: (address: string) => boolean;
}

/** Requests of lanes over the broker in this process. */
export class MemoryLanes implements LaneLine {
  readonly #served = new Map<string, TakeRequest>();
  readonly #replyTo: string;
  readonly #letters: Correspondence;

  constructor(private readonly parts: MemoryLanesParts) {
    const { names, carry } = parts;
    this.#replyTo = names.reply(randomUUID());
    this.#letters = new Correspondence({
      replyTo: this.#replyTo,
      replyPrefix: names.reply(''),
      reply: async (address, text) => void (await carry(address, text)),
    });
  }

  has(address: string): boolean {
    return this.#served.has(address) || address === this.#replyTo;
  }

  received(address: string, bytes: Uint8Array): void {
    const take = this.#served.get(address);
    if (take !== undefined) this.#letters.requested(bytes, take);
    else if (address === this.#replyTo) this.#letters.replied(bytes);
  }

  async call(address: LaneAddress, text: string, budgetMs: number): Promise<Heard> {
    return this.#letters.call(text, budgetMs, async (request) => {
      if (this.parts.isOver()) throw new SessionLost();
      return (await this.parts.carry(addressName(this.parts.names, address), request)) > 0;
    });
  }

  async serve(address: LaneAddress, take: TakeRequest): Promise<void> {
    const name = addressName(this.parts.names, address);
    await this.parts.confirms();
    if (this.parts.isOver()) throw new SessionLost();
    if (this.parts.isRefused(name)) throw new Error('refused');
    this.#served.set(name, take);
  }

  async stopServing(address: LaneAddress): Promise<void> {
    this.#served.delete(addressName(this.parts.names, address));
  }

  close(): void {
    this.#letters.close();
  }
}
