import { brokerConformance } from './conformance.js';
import { sqsScene } from './sqs-scene.js';

/** Here the visibility of messages is the lease. */
const LEASES = { lease_duration_ms: 2000, lease_renew_interval_ms: 1000 };

brokerConformance('sqs', () => sqsScene(false), LEASES);
