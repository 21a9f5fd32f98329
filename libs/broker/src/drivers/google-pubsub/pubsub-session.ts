import type { BrokerNames } from '@carillon/contracts';
import {
  hasCode,
  MessageSender,
  orderingKey,
  type OutgoingMessage,
  type PubsubClient,
  PubsubError,
  STATUS,
  type SubscriptionStream,
} from '@carillon/google';
import { SessionLost, type Session, type SessionListener } from '../../cluster/wire.js';
import { PubsubLanes } from './pubsub-lanes.js';

export interface PubsubParts {
  readonly names: BrokerNames;
  readonly client: PubsubClient;
  /** Unique; ends the ids of the subscriptions of this session. */
  readonly id: string;
  readonly listener: SessionListener;
  /** Receives the subscriptions of a lost session, which still exist. */
  readonly onLost: (subscriptions: readonly string[]) => void;
}

/** Live messages are read immediately or never; the shortest retention of Pub/Sub. */
const RETENTION_SECONDS = 600;
const ACK_DEADLINE_SECONDS = 10;

interface Heard {
  readonly created: Promise<void>;
  stream: SubscriptionStream | null;
  /** Whether the listener of the session receives it; the lanes receive responses in any case. */
  isSubscribed: boolean;
}

/**
 * One set of subscriptions of Pub/Sub. An address is a topic, and every session has a subscription of its own for each
 * topic it reads. Streams that Pub/Sub ends are opened again within the session, without a gap.
 */
export class PubsubSession implements Session {
  readonly lanes: PubsubLanes;
  readonly #sender: MessageSender;
  readonly #heard = new Map<string, Heard>();
  #isOver = false;

  constructor(private readonly parts: PubsubParts) {
    const { client, names } = parts;
    this.#sender = new MessageSender(client, (topic) => client.createTopic(topic));
    this.lanes = new PubsubLanes({
      client,
      names,
      send: (topic, message) => this.#send(topic, message),
      hearResponses: () => this.#hear(names.responses),
      asked: (call) => this.#asked(call),
      onEnded: (reason) => this.#lose(reason),
    });
  }

  /** Messages without a key are ordered per session. */
  publish(address: string, text: string, key = ''): Promise<void> {
    return this.#send(address, { text, orderingKey: orderingKey(key === '' ? this.parts.id : key) });
  }

  async subscribe(addresses: readonly string[]): Promise<readonly string[]> {
    const refused = await Promise.all(
      addresses.map(async (address) => {
        try {
          await this.#hear(address);
          const heard = this.#heard.get(address);
          if (heard !== undefined) heard.isSubscribed = true;
          return [];
        } catch (error) {
          if (hasCode(error, STATUS.permissionDenied)) return [address];
          throw error;
        }
      }),
    );
    return refused.flat();
  }

  async unsubscribe(addresses: readonly string[]): Promise<void> {
    const { names } = this.parts;
    for (const address of addresses) {
      const heard = this.#heard.get(address);
      if (heard === undefined) continue;
      heard.isSubscribed = false;
      if (address === names.responses) continue;
      this.#heard.delete(address);
      await heard.stream?.close();
      await this.#asked(() => this.parts.client.deleteSubscription(this.#subscription(address)));
    }
  }

  check(): Promise<void> {
    return this.#asked(() => this.parts.client.getTopic(this.parts.names.broadcast));
  }

  async close(): Promise<void> {
    if (this.#isOver) return;
    const { client } = this.parts;
    await this.#sender.idle();
    if (this.#isOver) return;
    this.#isOver = true;
    await this.#closeStreams();
    await Promise.allSettled(this.#subscriptions.map((id) => client.deleteSubscription(id)));
    await client.close();
  }

  get #subscriptions(): readonly string[] {
    return [...this.#heard.keys()].map((address) => this.#subscription(address));
  }

  #subscription(address: string): string {
    return `${address}.${this.parts.id}`;
  }

  /** Settles when messages published from now on are kept for this session. */
  #hear(address: string): Promise<void> {
    const known = this.#heard.get(address);
    if (known !== undefined) return known.created;
    const heard: Heard = { created: this.#create(address), stream: null, isSubscribed: false };
    this.#heard.set(address, heard);
    heard.created.catch(() => this.#heard.delete(address));
    return heard.created;
  }

  async #create(address: string): Promise<void> {
    const { client } = this.parts;
    const id = this.#subscription(address);
    await this.#asked(() =>
      client.createSubscription({
        id,
        topic: address,
        ackDeadlineSeconds: ACK_DEADLINE_SECONDS,
        retentionSeconds: RETENTION_SECONDS,
        expiresAfterDays: 1,
        isOrdered: true,
        deadLetterTopic: null,
      }),
    );
    const heard = this.#heard.get(address);
    if (heard === undefined || this.#isOver) return;
    heard.stream = client.stream(id, {
      message: ({ data }) => this.#receive(address, data),
      ended: (error) => this.#lose(`subscription ${id}: ${error.message}`),
    });
  }

  #receive(address: string, data: Buffer): void {
    if (this.#isOver) return;
    if (address === this.parts.names.responses) this.lanes.overheard(data);
    if (this.#heard.get(address)?.isSubscribed === true) this.parts.listener.message(address, data);
  }

  #send(topic: string, message: OutgoingMessage): Promise<void> {
    return this.#asked(() => this.#sender.send(topic, message));
  }

  /** A request without an answer ends the session; a refusal concerns the request alone. */
  async #asked<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    if (this.#isOver) throw new SessionLost();
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof PubsubError)) throw error;
      if (!error.isTransient && error.code !== STATUS.notFound) throw error;
      this.#lose(error.message);
      throw new SessionLost(error.message);
    }
  }

  async #closeStreams(): Promise<void> {
    await Promise.all([...this.#heard.values()].map(async ({ stream }) => stream?.close()));
    await this.lanes.close();
  }

  #lose(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { client, onLost, listener } = this.parts;
    onLost(this.#subscriptions);
    this.#sender.end(new SessionLost(reason));
    void this.#closeStreams().finally(() => void client.close());
    listener.lost(reason);
  }
}
