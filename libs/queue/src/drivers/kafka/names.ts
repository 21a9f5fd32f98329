import { escapedName, trimmedPrefix } from '../../broker/names.js';

/** Topics and consumer group of one queue. */
export interface KafkaQueueNames {
  readonly topic: string;
  /** Jobs that wait for their next attempt. */
  readonly retry: string;
  readonly dead: string;
  readonly group: string;
}

/**
 * Topics `<prefix>.queue.<queue>` with `.retry` and `.dlq`, group `<prefix>.queue-workers.<queue>`. Bytes that are not
 * valid in a topic name are escaped, and so is `_`: Kafka refuses topics that differ in `.` and `_` only.
 */
export function kafkaQueueNames(prefix: string, queue: string): KafkaQueueNames {
  // A queue named like the retry or dead-letter topic of another one has its last dot escaped.
  const path = escapedName(queue, /[A-Za-z0-9.]/, '-').replace(/\.(?=(dlq|retry)$)/, '-2E');
  const root = trimmedPrefix(prefix);
  const topic = `${root}.queue.${path}`;
  return { topic, retry: `${topic}.retry`, dead: `${topic}.dlq`, group: `${root}.queue-workers.${path}` };
}
