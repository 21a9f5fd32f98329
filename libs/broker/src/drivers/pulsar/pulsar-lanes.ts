import type { BrokerNames } from '@carillon/contracts';
import { PulsarConsumer, type PulsarClientOptions, PulsarRefused } from '@carillon/pulsar';
import { setTimeout as pause } from 'node:timers/promises';
import { SessionLost } from '../../cluster/wire.js';
import { addressName } from '../../lanes/address-key.js';
import { Correspondence } from '../../lanes/correspondence.js';
import type { LaneLine, TakeRequest } from '../../lanes/line.js';
import type { Heard, LaneAddress } from '../../lanes/port.js';

export interface PulsarLanesParts {
  readonly names: BrokerNames;
  readonly client: PulsarClientOptions;
  readonly send: (topic: string, text: string) => Promise<void>;
  /** Settles when answers are received. */
  readonly hear: () => Promise<void>;
  readonly onLost: (reason: string) => void;
  readonly isOver: () => boolean;
}

const SUBSCRIPTION = 'writers';
/** Requests delivered to one process and not taken yet. */
const MAX_UNACKNOWLEDGED = 100;
/** A subscription that is being removed refuses consumers for a moment. */
const OPEN_ATTEMPTS = 5;
const OPEN_PAUSE_MS = 100;

/**
 * Lane requests over Pulsar: a topic per lane with the shared subscription `writers`. The subscription is not
 * durable, so that no requests accumulate without a server. Responders are unknown: a request without a server is not
 * reported.
 */
export class PulsarLanes implements LaneLine {
  readonly #served = new Map<string, PulsarConsumer>();
  readonly #letters: Correspondence;
  #hears: Promise<void> | null = null;

  constructor(private readonly parts: PulsarLanesParts) {
    const { responses } = parts.names;
    this.#letters = new Correspondence({
      replyTo: responses,
      replyPrefix: responses,
      reply: async (topic, text) => {
        if (topic === responses) await parts.send(topic, text);
      },
    });
  }

  /** Handles a message that may be an answer, to this process or another. */
  overheard(bytes: Uint8Array): void {
    this.#letters.replied(bytes);
  }

  call(address: LaneAddress, text: string, budgetMs: number): Promise<Heard> {
    const topic = addressName(this.parts.names, address);
    return this.#letters.call(text, budgetMs, async (request) => {
      this.#hears ??= this.parts.hear();
      await this.#hears;
      await this.parts.send(topic, request);
      return true;
    });
  }

  async serve(address: LaneAddress, take: TakeRequest): Promise<void> {
    const topic = addressName(this.parts.names, address);
    const own: { consumer: PulsarConsumer | null } = { consumer: null };
    const consumer = await this.#open(topic, (id, payload) => {
      // A request is taken once: an answer that gets lost is requested again by the publisher.
      own.consumer?.acknowledge(id);
      this.#letters.requested(payload, take);
    });
    own.consumer = consumer;
    if (this.parts.isOver()) {
      await consumer.close();
      throw new SessionLost();
    }
    this.#served.set(topic, consumer);
  }

  async stopServing(address: LaneAddress): Promise<void> {
    const topic = addressName(this.parts.names, address);
    const consumer = this.#served.get(topic);
    this.#served.delete(topic);
    await consumer?.close();
  }

  async close(): Promise<void> {
    this.#letters.close();
    await Promise.all([...this.#served.values()].map((consumer) => consumer.close()));
    this.#served.clear();
  }

  async #open(topic: string, onMessage: (id: string, payload: Buffer) => void): Promise<PulsarConsumer> {
    for (let attempt = 1; ; attempt += 1) {
      if (this.parts.isOver()) throw new SessionLost();
      try {
        return await PulsarConsumer.open({
          ...this.parts.client,
          topic,
          subscription: SUBSCRIPTION,
          type: 'Shared',
          mode: 'NonDurable',
          from: 'Latest',
          maxUnacknowledged: MAX_UNACKNOWLEDGED,
          onMessage: ({ id, payload }) => onMessage(id, payload),
          onLost: this.parts.onLost,
        });
      } catch (error) {
        const mayWork = error instanceof PulsarRefused && error.status >= 409;
        if (!mayWork || attempt === OPEN_ATTEMPTS) {
          throw new SessionLost(error instanceof Error ? error.message : undefined);
        }
        await pause(OPEN_PAUSE_MS * attempt);
      }
    }
  }
}
