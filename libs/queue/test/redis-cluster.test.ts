import { durableQueueConformance } from './conformance.js';
import { redisScene } from './redis-scene.js';

durableQueueConformance('redis-cluster', () => redisScene('redis-cluster'));
