export { clientConfig, type KafkaSettings } from './client-config.js';
export { isTooLarge, RecordSender, type RecordSenderOptions } from './record-sender.js';
export { createMissingTopics, topicBounds, type PartitionBounds, type TopicPlan } from './topics.js';
