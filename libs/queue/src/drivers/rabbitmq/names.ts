import { escapedName, trimmedPrefix } from '../../broker/names.js';

/** RabbitMQ names of a queue. */
export interface RabbitQueueNames {
  readonly queue: string;
  readonly dead: string;
  /** Queue of jobs that are dead-lettered back after this delay. */
  readonly waiting: (delayMs: number) => string;
}

/** `<prefix>.queue.<queue>`; invalid characters are escaped. No queue name equals the dead-letter name of another. */
export function rabbitQueueNames(prefix: string, queue: string): RabbitQueueNames {
  // A name that ends as those of the dead and the waiting do has its last dot escaped.
  const path = escapedName(queue, /[A-Za-z0-9_.:-]/, '=').replace(/\.(?=(dlq|wait-\d+)$)/, '=2E');
  const name = `${trimmedPrefix(prefix)}.queue.${path}`;
  return { queue: name, dead: `${name}.dlq`, waiting: (delayMs) => `${name}.wait-${delayMs}` };
}

const STEPS = 4;

/**
 * The next longer wait that has a queue: there is one for each quarter of a doubling, since a queue keeps order and
 * its messages would wait for longer ones before them.
 */
export function waitWithQueue(delayMs: number): number {
  if (delayMs <= STEPS) return Math.max(1, Math.ceil(delayMs));
  const step = 2 ** Math.floor(Math.log2(delayMs)) / STEPS;
  return Math.ceil(Math.ceil(delayMs / step) * step);
}
