/** Providers that push deliveries have a queue for. */
export const PUSH_PROVIDERS = ['fcm', 'apns', 'webpush', 'hms', 'wns', 'realtime'] as const;

export type PushProvider = (typeof PUSH_PROVIDERS)[number];

/** Names of queue items, and of their queues while there is one queue for each. */
export const queueNames = {
  webhooks: 'webhooks',
  pushPublish: 'push.publish.v1',
  pushShards: 'push.shards.v1',
  pushDelivery: (provider: PushProvider) => `push.delivery.${provider}.v1` as const,
  pushResults: 'push.results.v1',
  pushRetry: 'push.retry.v1',
  pushDeadLetters: 'push.deadletters.v1',
} as const;

/** The physical queue of a partition, when an item is spread over several queues. */
export function partitionedQueue(item: string, partition: number, queueCount: number): string {
  return queueCount === 1 ? item : `${item}.p${partition % queueCount}`;
}
