export { iggy } from './iggy.js';
export { nats } from './nats.js';
export { googlePubsub, kafka, omq, pulsar, rabbitmq } from './others.js';
export { redisAdapter, redisClusterAdapter } from './redis.js';
