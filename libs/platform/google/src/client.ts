import type { Config } from '@carillon/config';
import type * as Library from '@google-cloud/pubsub';
import { hasCode, PubsubError, pubsubError, STATUS } from './failures.js';
import { incoming, type IncomingMessage, type OutgoingMessage } from './messages.js';
import { SubscriptionStream, type StreamListener } from './subscription-stream.js';

export type PubsubSettings = Config['adapter']['google_pubsub'];

export interface SubscriptionPlan {
  readonly id: string;
  readonly topic: string;
  readonly ackDeadlineSeconds: number;
  readonly retentionSeconds: number;
  /** Days without use after which Pub/Sub deletes it; null: never. */
  readonly expiresAfterDays: number | null;
  readonly isOrdered: boolean;
  /** Makes Pub/Sub count deliveries, and republish there after 100 of them. Null: no counting. */
  readonly deadLetterTopic: string | null;
}

/** The largest count of deliveries before Pub/Sub republishes to the dead-letter topic. */
const MAX_DELIVERIES = 100;
const DAY_SECONDS = 86_400;
/** Acknowledgement ids per request: an id has up to about 200 bytes and a request is limited to 512 KiB. */
const MAX_ACK_IDS = 1000;
/** The library retries for minutes; callers decide that themselves. */
const NO_RETRY = { retryCodes: [] };

export interface PubsubClientOptions {
  readonly settings: PubsubSettings;
  /** Path of the settings, such as `adapter.google_pubsub`; errors name it. */
  readonly block: string;
}

/** Requests to Pub/Sub for one project, each bounded by `request_timeout_ms`. All reject with `PubsubError`. */
export class PubsubClient {
  readonly #inFlight = new Set<Promise<unknown>>();
  #isClosed = false;

  private constructor(
    private readonly options: PubsubClientOptions,
    private readonly publisher: Library.v1.PublisherClient,
    private readonly subscriber: Library.v1.SubscriberClient,
  ) {}

  /** Loads the client library and reads the credentials; connects at the first request. Rejects with `PubsubError`. */
  static async open(options: PubsubClientOptions): Promise<PubsubClient> {
    const { PubSub, v1 } = (await import('@google-cloud/pubsub')).default;
    const { project_id: projectId, emulator_host: emulator } = options.settings;
    const endpoint = emulator === null ? {} : { ...EMULATOR, apiEndpoint: emulator };
    const { port, ...rest } = await new PubSub({ projectId, ...endpoint, ...CHANNEL }).getClientConfig();
    const config = port === undefined ? rest : { ...rest, port: Number(port) };
    const [publisher, subscriber] = [new v1.PublisherClient(config), new v1.SubscriberClient(config)];
    const client = new PubsubClient(options, publisher, subscriber);
    try {
      // Every later call would throw a failure of this outside of its own promise.
      await Promise.all([publisher.initialize(), subscriber.initialize()]);
      return client;
    } catch (error) {
      throw client.#errorOf(error);
    }
  }

  /** Creates the topic unless it exists. */
  async createTopic(id: string): Promise<void> {
    await this.#unless(STATUS.alreadyExists, () =>
      this.publisher.createTopic({ name: this.#topic(id) }, this.#callOptions()),
    );
  }

  async deleteTopic(id: string): Promise<void> {
    const request = { topic: this.#topic(id) };
    await this.#unless(STATUS.notFound, () => this.publisher.deleteTopic(request, this.#callOptions()));
  }

  /** Rejects with status 5 if the topic does not exist. */
  async getTopic(id: string): Promise<void> {
    await this.#ask(() => this.publisher.getTopic({ topic: this.#topic(id) }, this.#callOptions()));
  }

  /** Creates the subscription unless it exists; it receives later publishes. */
  async createSubscription(plan: SubscriptionPlan): Promise<void> {
    const { id, topic, ackDeadlineSeconds, retentionSeconds, expiresAfterDays, deadLetterTopic } = plan;
    const deadLetterPolicy =
      deadLetterTopic === null
        ? {}
        : {
            deadLetterPolicy: {
              deadLetterTopic: this.#topic(deadLetterTopic),
              maxDeliveryAttempts: MAX_DELIVERIES,
            },
          };
    const request = {
      name: this.#subscription(id),
      topic: this.#topic(topic),
      ackDeadlineSeconds,
      messageRetentionDuration: { seconds: retentionSeconds },
      expirationPolicy: expiresAfterDays === null ? {} : { ttl: { seconds: expiresAfterDays * DAY_SECONDS } },
      enableMessageOrdering: plan.isOrdered,
      ...deadLetterPolicy,
    };
    await this.#unless(STATUS.alreadyExists, () =>
      this.subscriber.createSubscription(request, this.#callOptions()),
    );
  }

  async deleteSubscription(id: string): Promise<void> {
    const request = { subscription: this.#subscription(id) };
    await this.#unless(STATUS.notFound, () =>
      this.subscriber.deleteSubscription(request, this.#callOptions()),
    );
  }

  /** Resolves when Pub/Sub has stored all messages; stores none if it rejects one of them. */
  async publish(topic: string, messages: readonly OutgoingMessage[]): Promise<void> {
    const request = {
      topic: this.#topic(topic),
      messages: messages.map(({ text, orderingKey = '', attributes = {} }) => ({
        data: Buffer.from(text),
        orderingKey,
        // Pub/Sub refuses a message without data and attributes.
        attributes: text === '' ? { ...attributes, empty: '1' } : attributes,
      })),
    };
    await this.#ask(() => this.publisher.publish(request, this.#callOptions()));
  }

  /** Returns up to `limit` messages; none if nothing arrived within `waitMs`. */
  async pull(subscription: string, limit: number, waitMs: number): Promise<readonly IncomingMessage[]> {
    const request = { subscription: this.#subscription(subscription), maxMessages: limit };
    try {
      const [response] = await this.#ask(() =>
        this.subscriber.pull(request, { timeout: Math.max(1, waitMs), retry: NO_RETRY }),
      );
      return (response.receivedMessages ?? []).map(incoming);
    } catch (error) {
      if (hasCode(error, STATUS.deadlineExceeded) || hasCode(error, STATUS.cancelled)) return [];
      throw error;
    }
  }

  /** Receives messages of the subscription until the stream is closed. */
  stream(subscription: string, listener: StreamListener): SubscriptionStream {
    return new SubscriptionStream({
      connect: () => this.subscriber.streamingPull({ timeout: STREAM_MS }),
      name: this.#subscription(subscription),
      acknowledge: (ackIds) => this.acknowledge(subscription, ackIds),
      errorOf: (error) => this.#errorOf(error),
      listener,
    });
  }

  async acknowledge(subscription: string, ackIds: readonly string[]): Promise<void> {
    const name = this.#subscription(subscription);
    for (const some of parts(ackIds)) {
      const request = { subscription: name, ackIds: some };
      await this.#ask(() => this.subscriber.acknowledge(request, this.#callOptions()));
    }
  }

  /** Extends the deadline of deliveries to `seconds` from now, at most 600; 0 returns them immediately. */
  async modifyAckDeadline(subscription: string, ackIds: readonly string[], seconds: number): Promise<void> {
    const name = this.#subscription(subscription);
    for (const some of parts(ackIds)) {
      const request = { subscription: name, ackIds: some, ackDeadlineSeconds: seconds };
      await this.#ask(() => this.subscriber.modifyAckDeadline(request, this.#callOptions()));
    }
  }

  /**
   * Waits for requests in flight, each bounded by its timeout: the library causes an unhandled rejection if a
   * request begins on a closed client. Idempotent, never rejects.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#inFlight);
    await Promise.allSettled([this.publisher.close(), this.subscriber.close()]);
  }

  #topic(id: string): string {
    return `projects/${this.options.settings.project_id}/topics/${id}`;
  }

  #subscription(id: string): string {
    return `projects/${this.options.settings.project_id}/subscriptions/${id}`;
  }

  #callOptions() {
    return { timeout: this.options.settings.request_timeout_ms, retry: NO_RETRY };
  }

  #errorOf(error: unknown) {
    return pubsubError(error, this.options.block, this.options.settings.project_id);
  }

  async #ask<Answer>(request: () => Promise<Answer>): Promise<Answer> {
    if (this.#isClosed)
      throw new PubsubError(`${this.options.block}: the client is closed`, STATUS.cancelled);
    const answer = request();
    this.#inFlight.add(answer);
    try {
      return await answer;
    } catch (error) {
      throw this.#errorOf(error);
    } finally {
      this.#inFlight.delete(answer);
    }
  }

  async #unless(code: number, request: () => Promise<unknown>): Promise<void> {
    try {
      await this.#ask(request);
    } catch (error) {
      if (!hasCode(error, code)) throw error;
    }
  }
}

/** Limit of a stream's lifetime; its subscription keeps messages that arrive while it is replaced. */
const STREAM_MS = 1_800_000;

/** An emulator checks no credentials; without any the library would look for those of the machine. */
const EMULATOR = {
  emulatorMode: true,
  credentials: { client_email: 'emulator@localhost', private_key: 'none' },
};

/** A channel of its own per client, which reconnects soon after an outage. */
const CHANNEL = {
  'grpc.use_local_subchannel_pool': 1,
  'grpc.initial_reconnect_backoff_ms': 200,
  'grpc.max_reconnect_backoff_ms': 2000,
};

function* parts(ids: readonly string[]): Iterable<string[]> {
  for (let start = 0; start < ids.length; start += MAX_ACK_IDS) yield ids.slice(start, start + MAX_ACK_IDS);
}
