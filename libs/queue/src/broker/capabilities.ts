import type { QueueCapabilities } from '../capabilities.js';

/** What every broker can do that has its jobs as messages; what one can do besides stands with it. */
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
