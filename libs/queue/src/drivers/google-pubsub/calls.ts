import {
  Acknowledger,
  hasCode,
  type IncomingMessage,
  MessageSender,
  type PubsubClient,
  PubsubError,
  STATUS,
  type SubscriptionPlan,
} from '@carillon/google';
import { InvalidJob, QueueUnavailable } from '../../failures.js';

/** A topic that no queue has; that it does not exist is an answer. */
const NO_TOPIC = 'carillon-no-such-topic';

/** Requests of the queue to Pub/Sub. All reject with `QueueUnavailable`, or `InvalidJob` for a message it does not take. */
export class PubsubCalls {
  #opening: Promise<{ readonly client: PubsubClient; readonly sender: MessageSender }> | null = null;
  readonly #acknowledgers = new Map<string, Acknowledger>();
  #isClosed = false;

  constructor(private readonly open: () => Promise<PubsubClient>) {}

  createTopic(id: string): Promise<void> {
    return this.#call(({ client }) => client.createTopic(id));
  }

  createSubscription(plan: SubscriptionPlan): Promise<void> {
    return this.#call(({ client }) => client.createSubscription(plan));
  }

  /** Resolves when the message is stored. */
  publish(topic: string, text: string): Promise<void> {
    return this.#call(({ sender }) => sender.send(topic, { text }));
  }

  pull(subscription: string, limit: number, waitMs: number): Promise<readonly IncomingMessage[]> {
    return this.#call(({ client }) => client.pull(subscription, limit, waitMs));
  }

  acknowledge(subscription: string, ackId: string): Promise<void> {
    return this.#call(({ client }) => {
      const known = this.#acknowledgers.get(subscription);
      const acknowledger = known ?? new Acknowledger((ackIds) => client.acknowledge(subscription, ackIds));
      this.#acknowledgers.set(subscription, acknowledger);
      return acknowledger.add(ackId);
    });
  }

  /** Hides deliveries from other workers for `seconds`; 0 returns them immediately. */
  hide(subscription: string, ackIds: readonly string[], seconds: number): Promise<void> {
    return this.#call(({ client }) => client.modifyAckDeadline(subscription, ackIds, seconds));
  }

  /** Resolves when Pub/Sub answers for the project. */
  async check(): Promise<void> {
    await this.#call(({ client }) =>
      client.getTopic(NO_TOPIC).catch((error: unknown) => {
        if (!hasCode(error, STATUS.notFound)) throw error;
      }),
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const opened = await this.#opening?.catch(() => null);
    await opened?.client.close();
  }

  /** Opens the client at the first call; credentials that cannot be read are read again at the next one. */
  async #call<Answer>(
    work: (opened: { readonly client: PubsubClient; readonly sender: MessageSender }) => Promise<Answer>,
  ): Promise<Answer> {
    if (this.#isClosed) throw new QueueUnavailable('closed');
    try {
      this.#opening ??= this.#open();
      return await work(await this.#opening);
    } catch (error) {
      if (!(error instanceof PubsubError)) throw error;
      if (hasCode(error, STATUS.invalidArgument)) throw new InvalidJob(error.message);
      throw new QueueUnavailable(error.message);
    }
  }

  async #open() {
    try {
      const client = await this.open();
      // A topic without its subscription would lose the message; the next call creates both.
      const sender = new MessageSender(client, () =>
        Promise.reject(new QueueUnavailable('the topic of the queue was deleted')),
      );
      return { client, sender };
    } catch (error) {
      this.#opening = null;
      throw error;
    }
  }
}
