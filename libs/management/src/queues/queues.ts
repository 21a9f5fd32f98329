import { PUSH_PROVIDERS, queueNames } from '@carillon/contracts';
import { ServiceError } from '@carillon/errors';
import type { Queue } from '@carillon/queue';
import type { ManagementParts } from '../parts.js';

/** A named queue and the driver that holds it. */
export interface NamedQueue {
  readonly name: string;
  readonly queue: Queue;
}

const PUSH_NAMES: readonly string[] = [
  queueNames.pushPublish,
  queueNames.pushShards,
  ...PUSH_PROVIDERS.map(queueNames.pushDelivery),
  queueNames.pushResults,
  queueNames.pushRetry,
];

type QueueParts = Pick<ManagementParts, 'pushQueue' | 'queue'>;

const namedOf = (queue: Queue | null, known: readonly string[]): readonly NamedQueue[] =>
  queue === null || queue.driver === 'none'
    ? []
    : [...new Set([...known, ...queue.queues])].map((name) => ({ name, queue }));

/** Queues of the service, and those that this process has used besides. */
export function namedQueues({ queue, pushQueue }: QueueParts): readonly NamedQueue[] {
  const found = [...namedOf(queue, [queueNames.webhooks]), ...namedOf(pushQueue, PUSH_NAMES)];
  return [...new Map(found.map((one) => [one.name, one])).values()];
}

/** @throws ServiceError `not_found` for an unknown queue, `not_implemented` without dead letters */
export function queueOf(name: string, parts: QueueParts): NamedQueue {
  const found = namedQueues(parts).find((one) => one.name === name);
  if (found === undefined) throw new ServiceError('not_found', { text: 'the queue does not exist' });
  if (!found.queue.capabilities.deadLetter)
    throw new ServiceError('not_implemented', { text: 'the driver of the queue lists no dead letters' });
  return found;
}

const QUEUE_TIMEOUT_MS = 10_000;

/** @throws ServiceError `service_unavailable` if the broker fails or does not answer in time */
export async function queueErrors<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the broker did not answer in time')), QUEUE_TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } catch (cause) {
    throw new ServiceError('service_unavailable', { text: 'the queue is unavailable', cause });
  } finally {
    clearTimeout(timer);
  }
}
