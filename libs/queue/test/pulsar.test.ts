import { brokerConformance } from './conformance.js';
import { pulsarScene } from './pulsar-scene.js';

brokerConformance('pulsar', () => pulsarScene(), { lease_duration_ms: 1500, lease_renew_interval_ms: 200 });
