import type { Admin, Consumer } from 'kafkajs';
import { SessionLost } from '../../cluster/wire.js';
import { Correspondence } from '../../lanes/correspondence.js';
import type { LaneLine, TakeRequest } from '../../lanes/line.js';
import type { Heard, LaneAddress } from '../../lanes/port.js';
import type { TopicEnd } from './topics.js';

/** A partition of each of the first two is a lane. */
export interface LaneTopics {
  readonly commit: string;
  readonly read: string;
  /** Topic of answers, shared by all processes. */
  readonly responses: string;
}

export interface KafkaLanesParts {
  readonly admin: Admin;
  readonly consumer: Consumer;
  readonly topics: LaneTopics;
  readonly send: (topic: string, text: string, partition?: number) => Promise<void>;
  readonly isOver: () => boolean;
}

const addressOf = (topic: string, partition: number): string => `${topic}/${partition}`;

/**
 * Lane requests over Kafka. Partitions of lanes without a local server are not fetched; a newly served one is read
 * from its current end. Responders are unknown: a request without a server is not reported.
 */
export class KafkaLanes implements LaneLine {
  readonly #served = new Map<string, TakeRequest>();
  readonly #letters: Correspondence;

  constructor(private readonly parts: KafkaLanesParts) {
    const { responses } = parts.topics;
    this.#letters = new Correspondence({
      replyTo: responses,
      replyPrefix: responses,
      reply: async (topic, text) => {
        if (topic === responses) await parts.send(topic, text);
      },
    });
  }

  /** Leaves the partitions of lanes alone until they are served. */
  begin(ends: readonly TopicEnd[]): void {
    const { commit, read } = this.parts.topics;
    for (const { topic, partition } of ends)
      if (topic === commit || topic === read) this.parts.consumer.pause([{ topic, partitions: [partition] }]);
  }

  /** Dispatches a record of the consumer. */
  received(topic: string, partition: number, bytes: Uint8Array): void {
    if (topic === this.parts.topics.responses) this.#letters.replied(bytes);
    const take = this.#served.get(addressOf(topic, partition));
    if (take !== undefined) this.#letters.requested(bytes, take);
  }

  async call({ use, lane }: LaneAddress, text: string, budgetMs: number): Promise<Heard> {
    return this.#letters.call(text, budgetMs, async (request) => {
      await this.parts.send(this.parts.topics[use], request, lane);
      return true;
    });
  }

  async serve({ use, lane }: LaneAddress, take: TakeRequest): Promise<void> {
    const { admin, consumer, topics, isOver } = this.parts;
    if (isOver()) throw new SessionLost();
    const topic = topics[use];
    const ends = await admin.fetchTopicOffsets(topic).catch((error: unknown) => {
      throw new SessionLost(error instanceof Error ? error.message : undefined);
    });
    const end = ends.find(({ partition }) => partition === lane);
    if (end === undefined) throw new Error(`topic ${topic} has no partition ${lane}`);
    if (isOver()) throw new SessionLost();
    this.#served.set(addressOf(topic, lane), take);
    consumer.seek({ topic, partition: lane, offset: end.high });
    consumer.resume([{ topic, partitions: [lane] }]);
  }

  async stopServing({ use, lane }: LaneAddress): Promise<void> {
    const topic = this.parts.topics[use];
    if (!this.#served.delete(addressOf(topic, lane)) || this.parts.isOver()) return;
    this.parts.consumer.pause([{ topic, partitions: [lane] }]);
  }

  close(): void {
    this.#letters.close();
  }
}
