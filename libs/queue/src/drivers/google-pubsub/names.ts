import { idPrefix } from '@carillon/google';
import { escapedName, trimmedPrefix } from '../../broker/names.js';

/** Ids of the topics and subscriptions of a queue. */
export interface PubsubQueueNames {
  readonly topic: string;
  /** Shared by all workers. */
  readonly subscription: string;
  readonly deadTopic: string;
  readonly deadSubscription: string;
}

/** Characters that follow the prefix: `-queue-`, the name and `-dlq-letters`. */
const ID_ROOM = 120;

/**
 * Names queues below the prefix: topic `<prefix>-queue-push.publish.v1`, dead-letter topic with `-dlq` behind it.
 *
 * @throws Error when no topic can be named with the prefix.
 */
export function pubsubQueueNames(prefix: string): (queue: string) => PubsubQueueNames {
  const root = idPrefix(trimmedPrefix(prefix), 'queue.google_pubsub', ID_ROOM);
  return (queue) => {
    const topic = `${root}-queue-${escapedName(queue, /[A-Za-z0-9._]/, '%')}`;
    return {
      topic,
      subscription: `${topic}-workers`,
      deadTopic: `${topic}-dlq`,
      deadSubscription: `${topic}-dlq-letters`,
    };
  };
}
