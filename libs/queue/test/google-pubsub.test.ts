import { brokerConformance } from './conformance.js';
import { pubsubScene } from './google-pubsub-scene.js';

/** Deadlines of Pub/Sub have whole seconds. */
const LEASES = { lease_duration_ms: 2000, lease_renew_interval_ms: 1000 };

brokerConformance('google-pubsub', () => pubsubScene(), LEASES);
