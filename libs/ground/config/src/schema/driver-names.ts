/** Brokers and stores that can carry both live messages and jobs between processes. */
export const SHARED_BROKERS = [
  'redis',
  'redis-cluster',
  'nats',
  'pulsar',
  'rabbitmq',
  'google-pubsub',
  'kafka',
  'iggy',
] as const;
