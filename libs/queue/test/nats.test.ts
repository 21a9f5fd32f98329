import { brokerConformance } from './conformance.js';
import { natsScene } from './nats-scene.js';

brokerConformance('nats', () => natsScene(), { lease_duration_ms: 800, lease_renew_interval_ms: 200 });
