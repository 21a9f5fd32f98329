import { randomUUID } from 'node:crypto';
import type { BrokerNames } from '@carillon/contracts';
import type { ClassicPubSub } from '@carillon/redis';
import { addressName } from '../../lanes/address-key.js';
import { Correspondence } from '../../lanes/correspondence.js';
import type { LaneLine, TakeRequest } from '../../lanes/line.js';
import type { Heard, LaneAddress } from '../../lanes/port.js';

/**
 * Lane requests over classic pub/sub channels, with one listening writer each. A single server reports the number of
 * receivers; a cluster does not, and a request without a server is not reported there.
 */
export class RedisLanes implements LaneLine {
  readonly #served = new Map<string, TakeRequest>();
  readonly #replyTo: string;
  readonly #letters: Correspondence;
  #hears: Promise<unknown> | null = null;

  constructor(
    private readonly classic: ClassicPubSub,
    private readonly names: BrokerNames,
  ) {
    this.#replyTo = names.reply(randomUUID());
    this.#letters = new Correspondence({
      replyTo: this.#replyTo,
      replyPrefix: names.reply(''),
      reply: async (address, text) => void (await classic.publish(address, text)),
    });
  }

  /** True: it was a request or an answer of lanes. */
  received(channel: string, bytes: Uint8Array): boolean {
    const take = this.#served.get(channel);
    if (take !== undefined) this.#letters.requested(bytes, take);
    else if (channel === this.#replyTo) this.#letters.replied(bytes);
    else return false;
    return true;
  }

  async call(address: LaneAddress, text: string, budgetMs: number): Promise<Heard> {
    const channel = addressName(this.names, address);
    return this.#letters.call(text, budgetMs, async (request) => {
      this.#hears ??= this.classic.subscribe(this.#replyTo);
      await this.#hears;
      const reached = await this.classic.publish(channel, request);
      return reached !== 0;
    });
  }

  async serve(address: LaneAddress, take: TakeRequest): Promise<void> {
    const channel = addressName(this.names, address);
    this.#served.set(channel, take);
    if (await this.classic.subscribe(channel)) return;
    this.#served.delete(channel);
    throw new Error('the broker refuses the subscription');
  }

  async stopServing(address: LaneAddress): Promise<void> {
    const channel = addressName(this.names, address);
    await this.classic.unsubscribe(channel);
    this.#served.delete(channel);
  }

  close(): void {
    this.#letters.close();
  }
}
