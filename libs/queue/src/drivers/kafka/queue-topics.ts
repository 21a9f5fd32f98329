import { createMissingTopics, topicBounds } from '@carillon/kafka';
import { kafkaQueueNames, type KafkaQueueNames } from './names.js';
import type { KafkaQueueSession } from './session.js';

/**
 * Partitions of a new topic, which limit the processes that work on its queue at the same time. A topic made by an
 * operator keeps its own number.
 */
const PARTITIONS = 8;
/** Retries wait in the memory of their consumer, so that few partitions serve many of them. */
const RETRY_PARTITIONS = 4;
/** Jobs never expire: settled records are deleted by their consumers. */
const JOBS = { 'retention.ms': '-1', 'retention.bytes': '-1', 'cleanup.policy': 'delete' };

export interface QueueTopics extends KafkaQueueNames {
  /** Number of partitions of the topic of ready jobs. */
  readonly partitions: number;
}

/** Creates the topics of a queue at its first use in a session. */
export class KafkaQueueTopics {
  readonly #known = new WeakMap<KafkaQueueSession, Map<string, Promise<QueueTopics>>>();

  constructor(private readonly prefix: string) {}

  of(session: KafkaQueueSession, queue: string): Promise<QueueTopics> {
    const known = this.#known.get(session) ?? new Map<string, Promise<QueueTopics>>();
    this.#known.set(session, known);
    const found = known.get(queue);
    if (found !== undefined) return found;
    const made = this.#make(session, kafkaQueueNames(this.prefix, queue));
    known.set(queue, made);
    made.catch(() => known.delete(queue));
    return made;
  }

  forget(session: KafkaQueueSession, queue: string): void {
    this.#known.get(session)?.delete(queue);
  }

  #make(session: KafkaQueueSession, names: KafkaQueueNames): Promise<QueueTopics> {
    const { topic, retry, dead } = names;
    const plans = [
      { topic, partitions: PARTITIONS, config: JOBS },
      { topic: retry, partitions: RETRY_PARTITIONS, config: JOBS },
      // One partition, so that dead letters have one order.
      { topic: dead, partitions: 1, config: JOBS },
    ];
    return session.ask(async (admin) => {
      await createMissingTopics(admin, plans, false);
      const [bounds] = await Promise.all(plans.map((plan) => topicBounds(admin, plan.topic)));
      return { ...names, partitions: bounds?.length ?? PARTITIONS };
    });
  }
}
