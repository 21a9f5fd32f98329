import { beforeAll } from 'vitest';
import { brokerFailures } from './broker-failures.js';
import { kafkaScene, warmKafka } from './kafka-scene.js';

beforeAll(() => warmKafka());

brokerFailures('kafka', kafkaScene);
