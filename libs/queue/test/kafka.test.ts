import { beforeAll } from 'vitest';
import { brokerConformance } from './conformance.js';
import { kafkaScene, warmKafka } from './kafka-scene.js';

beforeAll(() => warmKafka());

brokerConformance('kafka', () => kafkaScene(), { lease_duration_ms: 1500, lease_renew_interval_ms: 200 });
