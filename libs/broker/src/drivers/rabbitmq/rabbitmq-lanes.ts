import { randomUUID } from 'node:crypto';
import type { BrokerNames } from '@carillon/contracts';
import type { Channel, ConfirmChannel } from 'amqplib';
import { SessionLost } from '../../cluster/wire.js';
import { addressName } from '../../lanes/address-key.js';
import { Correspondence } from '../../lanes/correspondence.js';
import { requestHead } from '../../lanes/letter-head.js';
import type { LaneLine, TakeRequest } from '../../lanes/line.js';
import type { Heard, LaneAddress } from '../../lanes/port.js';

export interface RabbitmqLanesParts {
  readonly names: BrokerNames;
  readonly publishing: ConfirmChannel;
  readonly consuming: Channel;
  /** Settles when answers come here. */
  readonly hear: () => Promise<void>;
  /** Whether the session has ended. */
  readonly isOver: () => boolean;
}

/**
 * Lane requests over RabbitMQ. Each lane has an auto-delete queue; requests expire after their budget, and requests
 * without a queue are returned. Answers use the shared exchange of answers.
 */
export class RabbitmqLanes implements LaneLine {
  readonly #served = new Map<string, string>();
  readonly #letters: Correspondence;
  #hears: Promise<void> | null = null;

  constructor(private readonly parts: RabbitmqLanesParts) {
    const { names, publishing } = parts;
    this.#letters = new Correspondence({
      replyTo: names.responses,
      replyPrefix: names.responses,
      reply: async (address, text) => {
        if (address === names.responses && !parts.isOver())
          publishing.publish(address, '', Buffer.from(text));
      },
    });
    publishing.on('return', ({ content }: { readonly content: Buffer }) => {
      const head = requestHead(content);
      if (head !== null) this.#letters.returned(head.requestId);
    });
  }

  /** Dispatches a message of the answer exchange. */
  overheard(bytes: Uint8Array): void {
    this.#letters.replied(bytes);
  }

  async call(address: LaneAddress, text: string, budgetMs: number): Promise<Heard> {
    const queue = addressName(this.parts.names, address);
    return this.#letters.call(text, budgetMs, async (request) => {
      this.#hears ??= this.#told(this.parts.hear);
      await this.#hears;
      return this.#send(queue, request, budgetMs);
    });
  }

  async serve(address: LaneAddress, take: TakeRequest): Promise<void> {
    const { names, consuming } = this.parts;
    const queue = addressName(names, address);
    const consumerTag = randomUUID();
    this.#served.set(queue, consumerTag);
    await this.#told(async () => {
      await consuming.assertQueue(queue, { autoDelete: true, durable: false });
      await consuming.consume(
        queue,
        (message) => {
          if (message !== null) this.#letters.requested(message.content, take);
        },
        { noAck: true, consumerTag },
      );
    });
  }

  async stopServing(address: LaneAddress): Promise<void> {
    const queue = addressName(this.parts.names, address);
    const consumerTag = this.#served.get(queue);
    this.#served.delete(queue);
    if (consumerTag !== undefined) await this.#told(() => this.parts.consuming.cancel(consumerTag));
  }

  close(): void {
    this.#letters.close();
  }

  /** Publishes as mandatory: a message without a queue is returned before its confirmation. */
  #send(queue: string, request: string, budgetMs: number): Promise<boolean> {
    return this.#told(
      () =>
        new Promise((resolve, reject) => {
          const options = { mandatory: true, expiration: String(budgetMs) };
          this.parts.publishing.publish('', queue, Buffer.from(request), options, (refused: unknown) => {
            if (refused === null || refused === undefined) resolve(true);
            else reject(new SessionLost());
          });
        }),
    );
  }

  async #told<Value>(call: () => Promise<Value>): Promise<Value> {
    if (this.parts.isOver()) throw new SessionLost();
    try {
      return await call();
    } catch (error) {
      throw new SessionLost(error instanceof Error ? error.message : undefined);
    }
  }
}
