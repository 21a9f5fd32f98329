import type { PubsubCalls } from './calls.js';
import type { PubsubQueueNames } from './names.js';

/** Retention of unacknowledged messages: the longest without a surcharge. */
const RETENTION_SECONDS = 604_800;
/** Time for which a dead letter is hidden from others while it is read. */
const LOOK_SECONDS = 30;
/** Limits of Pub/Sub for the deadline of a subscription. */
const MIN_DEADLINE_SECONDS = 10;
const MAX_DEADLINE_SECONDS = 600;

/** Creates the topics and subscriptions of queues on first use, and again after a failure. */
export class QueueTopics {
  readonly #known = new Map<string, Promise<PubsubQueueNames>>();

  constructor(
    private readonly calls: PubsubCalls,
    private readonly namesOf: (queue: string) => PubsubQueueNames,
    private readonly leaseSeconds: number,
  ) {}

  /** Returns the names of a queue whose topics and subscriptions exist. */
  of(queue: string): Promise<PubsubQueueNames> {
    const known = this.#known.get(queue);
    if (known !== undefined) return known;
    const names = this.namesOf(queue);
    const created = this.#create(names).then(() => names);
    this.#known.set(queue, created);
    created.catch(() => this.forget(queue));
    return created;
  }

  forget(queue: string): void {
    this.#known.delete(queue);
  }

  /** The dead-letter policy makes Pub/Sub count deliveries; letters are written by the worker. */
  async #create({ topic, subscription, deadTopic, deadSubscription }: PubsubQueueNames): Promise<void> {
    const common = { retentionSeconds: RETENTION_SECONDS, expiresAfterDays: null, isOrdered: false };
    await Promise.all([this.calls.createTopic(topic), this.calls.createTopic(deadTopic)]);
    const deadline = Math.min(Math.max(this.leaseSeconds, MIN_DEADLINE_SECONDS), MAX_DEADLINE_SECONDS);
    await Promise.all([
      this.calls.createSubscription({
        ...common,
        id: subscription,
        topic,
        ackDeadlineSeconds: deadline,
        deadLetterTopic: deadTopic,
      }),
      this.calls.createSubscription({
        ...common,
        id: deadSubscription,
        topic: deadTopic,
        ackDeadlineSeconds: LOOK_SECONDS,
        deadLetterTopic: null,
      }),
    ]);
  }
}
