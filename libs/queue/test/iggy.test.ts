import { brokerConformance } from './conformance.js';
import { iggyScene } from './iggy-scene.js';

brokerConformance('iggy', () => iggyScene(), { lease_duration_ms: 1500, lease_renew_interval_ms: 200 });
