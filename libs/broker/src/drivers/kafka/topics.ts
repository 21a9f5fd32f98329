import { topicBounds } from '@carillon/kafka';
import type { Admin, SeekEntry } from 'kafkajs';

/** Live messages are read at once or never; a process that is this far behind has lost them. */
const RETENTION_MS = 600_000;
/** Bytes of a record besides its value. */
const RECORD_BYTES = 4096;

/** End offset of one partition of a topic. */
export interface TopicEnd extends SeekEntry {
  readonly topic: string;
}

/**
 * Configuration of topics for live messages. One partition is enough where every process reads all of it anyway; with
 * several, messages of one key keep their order.
 */
export const liveTopicConfig = (maxMessageBytes: number): Readonly<Record<string, string>> => ({
  'retention.ms': String(RETENTION_MS),
  'max.message.bytes': String(maxMessageBytes + RECORD_BYTES),
});

/** End offsets of all partitions of the topics at this moment. Waits for topics that were just created. */
export async function endsOf(admin: Admin, topics: readonly string[]): Promise<readonly TopicEnd[]> {
  const ends = await Promise.all(
    topics.map(async (topic) => {
      const bounds = await topicBounds(admin, topic);
      return bounds.map(({ partition, high }) => ({ topic, partition, offset: high }));
    }),
  );
  return ends.flat();
}
