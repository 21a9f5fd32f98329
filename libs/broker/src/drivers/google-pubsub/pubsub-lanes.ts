import type { BrokerNames } from '@carillon/contracts';
import type { IncomingMessage, OutgoingMessage, PubsubClient, SubscriptionStream } from '@carillon/google';
import { addressName } from '../../lanes/address-key.js';
import { Correspondence } from '../../lanes/correspondence.js';
import type { LaneLine, TakeRequest } from '../../lanes/line.js';
import type { Heard, LaneAddress } from '../../lanes/port.js';

export interface PubsubLanesParts {
  readonly client: PubsubClient;
  readonly names: BrokerNames;
  readonly send: (topic: string, message: OutgoingMessage) => Promise<void>;
  /** Settles when responses are kept for this session. */
  readonly hearResponses: () => Promise<void>;
  /** Runs a request, and ends the session if it is not answered. */
  readonly asked: <Answer>(call: () => Promise<Answer>) => Promise<Answer>;
  readonly onEnded: (reason: string) => void;
}

/** The subscription of a lane outlives its servers, so a request may wait for the next one. */
const RETENTION_SECONDS = 600;
const ACK_DEADLINE_SECONDS = 10;
/** Difference that the clocks of this process and of Pub/Sub may have. */
const CLOCK_SLACK_MS = 5000;
const BUDGET = 'budget_ms';

/**
 * Requests of lanes over Pub/Sub. A lane is a topic with one subscription that its servers share, so one of them
 * receives a request. A request that outlived its budget is dropped. Responses travel on the shared topic.
 */
export class PubsubLanes implements LaneLine {
  readonly #served = new Map<string, SubscriptionStream>();
  readonly #letters: Correspondence;

  constructor(private readonly parts: PubsubLanesParts) {
    const { responses } = parts.names;
    this.#letters = new Correspondence({
      replyTo: responses,
      replyPrefix: responses,
      reply: async (address, text) => {
        if (address === responses) await parts.send(address, { text });
      },
    });
  }

  /** Reads a response, which may answer a request of another process. */
  overheard(bytes: Uint8Array): void {
    this.#letters.replied(bytes);
  }

  call(address: LaneAddress, text: string, budgetMs: number): Promise<Heard> {
    const { names, hearResponses, send } = this.parts;
    return this.#letters.call(text, budgetMs, async (request) => {
      await hearResponses();
      await send(addressName(names, address), {
        text: request,
        attributes: { [BUDGET]: String(budgetMs) },
      });
      return true;
    });
  }

  async serve(address: LaneAddress, take: TakeRequest): Promise<void> {
    const { client, names, asked, onEnded } = this.parts;
    const topic = addressName(names, address);
    const id = `${topic}-writers`;
    await asked(() => client.createTopic(topic));
    await asked(() =>
      client.createSubscription({
        id,
        topic,
        ackDeadlineSeconds: ACK_DEADLINE_SECONDS,
        retentionSeconds: RETENTION_SECONDS,
        expiresAfterDays: 1,
        isOrdered: false,
        deadLetterTopic: null,
      }),
    );
    const stream = client.stream(id, {
      message: (message) => {
        if (this.#served.get(topic) === stream && !isExpired(message))
          this.#letters.requested(message.data, take);
      },
      ended: (error) => onEnded(`subscription ${id}: ${error.message}`),
    });
    this.#served.set(topic, stream);
  }

  async stopServing(address: LaneAddress): Promise<void> {
    const topic = addressName(this.parts.names, address);
    const stream = this.#served.get(topic);
    await stream?.close();
    if (this.#served.get(topic) === stream) this.#served.delete(topic);
  }

  /** Calls end without a reply. Resolves when no more requests arrive. */
  async close(): Promise<void> {
    this.#letters.close();
    const streams = [...this.#served.values()];
    this.#served.clear();
    await Promise.all(streams.map((stream) => stream.close()));
  }
}

function isExpired({ attributes, publishedAtMs }: IncomingMessage): boolean {
  const budgetMs = Number(attributes[BUDGET]);
  return Number.isFinite(budgetMs) && publishedAtMs + budgetMs + CLOCK_SLACK_MS < Date.now();
}
