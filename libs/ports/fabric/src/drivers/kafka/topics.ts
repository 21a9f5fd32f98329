import type { Admin, SeekEntry } from 'kafkajs';

/** Live messages are read at once or never; a process that is this far behind has lost them. */
const RETENTION_MS = 600_000;
/** What a record needs beside its value. */
const RECORD_BYTES = 4096;

const READ_ATTEMPTS = 20;
const READ_PAUSE_MS = 100;

/** Where one partition of one topic ends. */
export interface TopicEnd extends SeekEntry {
  readonly topic: string;
}

/** A topic as it is made when there is none. */
export interface TopicWish {
  readonly topic: string;
  readonly partitions: number;
}

/**
 * Makes the topics that do not exist. One partition is enough where every process reads all of it anyway. Those an
 * operator has made stay as they are; with several partitions, messages of one key keep their order.
 */
export async function makeTopics(
  admin: Admin,
  topics: readonly TopicWish[],
  maxMessageBytes: number,
): Promise<void> {
  const existing = new Set(await admin.listTopics());
  const missing = topics.filter(({ topic }) => !existing.has(topic));
  if (missing.length === 0) return;
  await admin.createTopics({
    waitForLeaders: false,
    topics: missing.map(({ topic, partitions }) => ({
      topic,
      numPartitions: partitions,
      configEntries: [
        { name: 'retention.ms', value: String(RETENTION_MS) },
        { name: 'max.message.bytes', value: String(maxMessageBytes + RECORD_BYTES) },
      ],
    })),
  });
}

/**
 * Where every partition ends right now. A topic that has just been made is listed before it can be read: that is waited
 * for.
 */
export async function endsOf(admin: Admin, topics: readonly string[]): Promise<readonly TopicEnd[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await Promise.all(topics.map((topic) => endsOfOne(admin, topic)))).flat();
    } catch (error) {
      if (attempt === READ_ATTEMPTS) throw error;
    }
    await new Promise((later) => setTimeout(later, READ_PAUSE_MS));
  }
}

async function endsOfOne(admin: Admin, topic: string): Promise<readonly TopicEnd[]> {
  const found = await admin.fetchTopicOffsets(topic);
  return found.map(({ partition, high }) => ({ topic, partition, offset: high }));
}
