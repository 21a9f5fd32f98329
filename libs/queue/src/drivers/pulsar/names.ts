import { escapedName, trimmedPrefix } from '../../broker/names.js';

/** Topics and subscription of one queue, in the default namespace. */
export interface PulsarQueueNames {
  readonly topic: string;
  readonly subscription: string;
  readonly dead: string;
}

const LONGEST_PREFIX = 128;

/** Escapes characters with a meaning in topic names or URLs. */
export const pulsarPrefix = (prefix: string): string =>
  escapedName(trimmedPrefix(prefix), /[A-Za-z0-9._:-]/, '=', LONGEST_PREFIX);

/**
 * Topic `<prefix>-queue-<queue>` with `-dlq`, subscription `<prefix>-queue-workers-<queue>`. `-` is escaped in the name
 * of a queue, so that none ends like a dead-letter topic or like a partition (`-partition-1`).
 */
export function pulsarQueueNames(prefix: string, queue: string): PulsarQueueNames {
  const path = escapedName(queue, /[A-Za-z0-9._:]/, '=');
  const root = pulsarPrefix(prefix);
  const topic = `${root}-queue-${path}`;
  return { topic, subscription: `${root}-queue-workers-${path}`, dead: `${topic}-dlq` };
}
