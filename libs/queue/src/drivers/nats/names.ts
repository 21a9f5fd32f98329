import { escapedName, trimmedPrefix } from '../../broker/names.js';

/** JetStream names of a queue. */
export interface NatsQueueNames {
  readonly stream: string;
  readonly subject: string;
  readonly deadStream: string;
  readonly deadSubject: string;
  /** Consumer shared by all workers. */
  readonly consumer: string;
}

/**
 * For `push.publish.v1` the stream is `<prefix>_q_push_publish_v1` and the subject `<prefix>.queue.push.publish.v1`.
 * Stream names exclude dots and subjects exclude empty tokens, so other characters are escaped.
 */
export function natsQueueNames(prefix: string, queue: string): NatsQueueNames {
  const root = trimmedPrefix(prefix);
  const word = escapedName(queue, /[A-Za-z0-9.-]/, '=').replaceAll('.', '_');
  const isPlain = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/.test(queue);
  const path = escapedName(queue, isPlain ? /[A-Za-z0-9_.-]/ : /[A-Za-z0-9_-]/, '=');
  const streamRoot = root.replaceAll(/[.:/\\]/g, '_');
  return {
    stream: `${streamRoot}_q_${word}`,
    subject: `${root}.queue.${path}`,
    deadStream: `${streamRoot}_dlq_${word}`,
    deadSubject: `${root}.dlq.${path}`,
    consumer: 'workers',
  };
}
