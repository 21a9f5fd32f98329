import type { QueueCapabilities } from '../capabilities.js';

/** Capabilities common to all message brokers; drivers add their own. */
export const BROKER_CAPABILITIES: QueueCapabilities = {
  consume: true,
  acknowledgements: true,
  delayedDelivery: false,
  retries: true,
  deadLetter: true,
  deduplication: false,
  leasing: true,
  durable: true,
  batchEnqueue: true,
  fairOwners: false,
  observableLag: true,
  observableAge: false,
};
