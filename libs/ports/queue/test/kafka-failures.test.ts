import { brokerFailures } from './broker-failures.js';
import { kafkaScene } from './kafka-scene.js';

brokerFailures('kafka', kafkaScene);
