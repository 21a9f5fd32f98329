import type { BrokerNames } from '@carillon/contracts';
import type { Channel, ChannelModel, ConfirmChannel, ConsumeMessage } from 'amqplib';
import { SessionLost, type Session, type SessionListener } from '../../cluster/wire.js';
import { RabbitmqLanes } from './rabbitmq-lanes.js';

export interface RabbitmqParts {
  readonly names: BrokerNames;
  readonly connection: ChannelModel;
  readonly publishing: ConfirmChannel;
  readonly consuming: Channel;
  /** Exclusive queue of this session; the broker deletes it with the connection. */
  readonly queue: string;
  readonly listener: SessionListener;
}

/** One connection to RabbitMQ. An address is a fanout exchange, and to hear it is to bind this session's queue to it. */
export class RabbitmqSession implements Session {
  readonly lanes: RabbitmqLanes;
  readonly #parts: RabbitmqParts;
  #isOver = false;

  constructor(parts: RabbitmqParts) {
    this.#parts = parts;
    const { connection, publishing, consuming, names, queue } = parts;
    this.lanes = new RabbitmqLanes({
      names,
      publishing,
      consuming,
      hear: async () => void (await consuming.bindQueue(queue, names.responses, '')),
      isOver: () => this.#isOver,
    });
    for (const one of [connection, publishing, consuming]) {
      one.on('error', (error: Error) => this.#lose(error.message));
      one.on('close', () => this.#lose('the connection was closed'));
    }
  }

  /** Dispatches a delivery; null means that the broker deleted the queue. */
  take(message: ConsumeMessage | null): void {
    if (message === null) this.#lose('the broker has removed the queue');
    else if (!this.#isOver) {
      const { exchange } = message.fields;
      if (exchange === this.#parts.names.responses) this.lanes.overheard(message.content);
      this.#parts.listener.message(exchange, message.content);
    }
  }

  publish(address: string, text: string): Promise<void> {
    return this.#told(
      () =>
        new Promise((resolve, reject) => {
          this.#parts.publishing.publish(address, '', Buffer.from(text), {}, (refused: unknown) => {
            if (refused === null || refused === undefined) resolve();
            else reject(new SessionLost());
          });
        }),
    );
  }

  async subscribe(addresses: readonly string[]): Promise<readonly string[]> {
    const { consuming, queue } = this.#parts;
    await this.#told(() => Promise.all(addresses.map((one) => consuming.bindQueue(queue, one, ''))));
    return [];
  }

  async unsubscribe(addresses: readonly string[]): Promise<void> {
    const { consuming, queue } = this.#parts;
    await this.#told(() => Promise.all(addresses.map((one) => consuming.unbindQueue(queue, one, ''))));
  }

  async check(): Promise<void> {
    await this.#told(() => this.#parts.consuming.checkQueue(this.#parts.queue));
  }

  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.lanes.close();
    await this.#parts.connection.close().catch(() => undefined);
  }

  /** Converts failures of the channel into session failures: every refusal closes the channel. */
  async #told<Value>(call: () => Promise<Value>): Promise<Value> {
    if (this.#isOver) throw new SessionLost();
    try {
      return await call();
    } catch (error) {
      throw new SessionLost(error instanceof Error ? error.message : undefined);
    }
  }

  #lose(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.lanes.close();
    this.#parts.connection.close().catch(() => undefined);
    this.#parts.listener.lost(reason);
  }
}
