import { escapedName, trimmedPrefix } from '../../broker/names.js';

/** Topics and consumer of one queue. */
export interface IggyQueueNames {
  readonly topic: string;
  /** Log of claims and settlements. */
  readonly claims: string;
  readonly dead: string;
  readonly consumer: string;
}

/**
 * Topics `<queue_topic_prefix>-<queue>` with `-claims` and `-dlq`, consumer `<consumer_group_prefix>-<queue>`. Only small
 * letters, digits and dots are kept: servers have differed in the others. `-` is escaped, so that no queue is named like a
 * topic of another one.
 */
export function iggyQueueNames(topicPrefix: string, consumerPrefix: string, queue: string): IggyQueueNames {
  const path = escapedName(queue, /[a-z0-9.]/, '_');
  const topic = `${trimmedPrefix(topicPrefix)}-${path}`;
  return {
    topic,
    claims: `${topic}-claims`,
    dead: `${topic}-dlq`,
    consumer: `${trimmedPrefix(consumerPrefix)}-${path}`,
  };
}
