import { brokerDeadLetters } from './conformance/broker-dead-letters.js';
import { brokerDelivery } from './conformance/broker-delivery.js';
import { brokerDurable, type BrokerLeases } from './conformance/broker-durable.js';
import { batchConformance } from './conformance/batch.js';
import { deadLetterConformance } from './conformance/dead-letters.js';
import { deliveryConformance } from './conformance/delivery.js';
import { durableConformance } from './conformance/durable.js';
import { brokerFairness } from './conformance/broker-fairness.js';
import { fairnessConformance } from './conformance/fairness.js';
import { identityConformance } from './conformance/identity.js';
import { observationConformance } from './conformance/observation.js';
import { stopConformance } from './conformance/stop.js';
import type { BrokerScene } from './broker-scene.js';
import type { Scene } from './scene.js';

/** Requirements of drivers that support all options. */
export function queueConformance(name: string, openScene: () => Promise<Scene>): void {
  deliveryConformance(name, openScene);
  deadLetterConformance(name, openScene);
  identityConformance(name, openScene);
  batchConformance(name, openScene);
  observationConformance(name, openScene);
  stopConformance(name, openScene);
  fairnessConformance(name, openScene);
}

/** Additional requirements of drivers whose jobs survive the process. */
export function durableQueueConformance(name: string, openScene: () => Promise<Scene>): void {
  queueConformance(name, openScene);
  durableConformance(name, openScene);
}

/** Requirements of drivers whose broker keeps the states of jobs, with fewer options and statistics. */
export function brokerConformance(
  name: string,
  openScene: () => Promise<BrokerScene>,
  leases: BrokerLeases,
): void {
  brokerDelivery(name, openScene);
  brokerDeadLetters(name, openScene);
  brokerDurable(name, openScene, leases);
  brokerFairness(name, openScene);
}
