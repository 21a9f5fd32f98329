import { addressName } from '../../lanes/address-key.js';
import { Correspondence } from '../../lanes/correspondence.js';
import type { LaneLine, TakeRequest } from '../../lanes/line.js';
import type { Heard, LaneAddress } from '../../lanes/port.js';
import type { OmqNames } from './omq-names.js';

export interface OmqLanesParts {
  readonly names: OmqNames;
  /** Id of the session. */
  readonly id: string;
  /** Sends to the peers that have subscribed. */
  readonly send: (topic: string, text: string) => void;
  readonly subscribe: (topic: string) => Promise<void>;
  readonly unsubscribe: (topic: string) => Promise<void>;
}

/**
 * Lane requests over ZeroMQ. A lane is a topic to which only its server subscribes. Requests of this process to
 * itself bypass the sockets.
 */
export class OmqLanes implements LaneLine {
  readonly replyTo: string;
  readonly #served = new Map<string, TakeRequest>();
  readonly #letters: Correspondence;

  constructor(private readonly parts: OmqLanesParts) {
    const { names, id, send } = parts;
    this.replyTo = names.reply(id);
    this.#letters = new Correspondence({
      replyTo: this.replyTo,
      replyPrefix: names.reply(''),
      reply: async (address, text) => {
        if (address === this.replyTo) this.#letters.replied(Buffer.from(text));
        else send(address, text);
      },
    });
  }

  /** Returns whether it was a request or a reply of lanes. */
  received(topic: string, bytes: Uint8Array): boolean {
    const take = this.#served.get(topic);
    if (take !== undefined) this.#letters.requested(bytes, take);
    else if (topic === this.replyTo) this.#letters.replied(bytes);
    else return false;
    return true;
  }

  call(address: LaneAddress, text: string, budgetMs: number): Promise<Heard> {
    const topic = addressName(this.parts.names, address);
    return this.#letters.call(text, budgetMs, async (request) => {
      const take = this.#served.get(topic);
      if (take !== undefined) this.#letters.requested(Buffer.from(request), take);
      this.parts.send(topic, request);
      return true;
    });
  }

  async serve(address: LaneAddress, take: TakeRequest): Promise<void> {
    const topic = addressName(this.parts.names, address);
    this.#served.set(topic, take);
    await this.parts.subscribe(topic);
  }

  async stopServing(address: LaneAddress): Promise<void> {
    const topic = addressName(this.parts.names, address);
    if (!this.#served.delete(topic)) return;
    await this.parts.unsubscribe(topic).catch(() => undefined);
  }

  close(): void {
    this.#letters.close();
    this.#served.clear();
  }
}
