import type { Admin, SeekEntry } from 'kafkajs';

/** A topic as it is created when it does not exist. */
export interface TopicPlan {
  readonly topic: string;
  readonly partitions: number;
  /** Topic-level configuration, such as `retention.ms`. */
  readonly config: Readonly<Record<string, string>>;
}

/**
 * Creates missing topics; existing ones keep the partitions and configuration their operator chose.
 *
 * @param waitForLeaders False: resolves before the new topics can be read.
 */
export async function createMissingTopics(
  admin: Admin,
  plans: readonly TopicPlan[],
  waitForLeaders: boolean,
): Promise<void> {
  const existing = new Set(await admin.listTopics());
  const missing = plans.filter(({ topic }) => !existing.has(topic));
  if (missing.length === 0) return;
  await admin.createTopics({
    waitForLeaders,
    topics: missing.map(({ topic, partitions, config }) => ({
      topic,
      numPartitions: partitions,
      configEntries: Object.entries(config).map(([name, value]) => ({ name, value })),
    })),
  });
}

/** First and next offset of one partition. */
export type PartitionBounds = SeekEntry & { readonly low: string; readonly high: string };

const READ_ATTEMPTS = 50;
const READ_PAUSE_MS = 100;

/** Returns the offsets of every partition. Waits for a new topic, which is listed before its leader can be read. */
export async function topicBounds(admin: Admin, topic: string): Promise<readonly PartitionBounds[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await admin.fetchTopicOffsets(topic);
    } catch (error) {
      if (attempt === READ_ATTEMPTS) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, READ_PAUSE_MS));
  }
}
