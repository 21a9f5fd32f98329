import { brokerConformance } from './conformance.js';
import { rabbitScene } from './rabbitmq-scene.js';

brokerConformance('rabbitmq', () => rabbitScene(), { lease_duration_ms: 800, lease_renew_interval_ms: 200 });
