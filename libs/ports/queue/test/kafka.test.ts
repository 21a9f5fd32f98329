import { brokerConformance } from './conformance.js';
import { kafkaScene } from './kafka-scene.js';

brokerConformance('kafka', () => kafkaScene(), { lease_duration_ms: 1500, lease_renew_interval_ms: 200 });
