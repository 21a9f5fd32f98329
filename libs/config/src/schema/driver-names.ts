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

/** The reference text on queue drivers; tests of the queue package compare it with the existing drivers. */
export const QUEUES_OF_THIS_BUILD =
  'In this build: `memory`, `redis`, `redis-cluster`, `nats`, `rabbitmq`, `kafka`, `google-pubsub`, `pulsar`, `iggy`, `sqs`, `sns`, `none`; others are refused';
