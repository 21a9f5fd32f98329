import { brokerConformance } from './broker-conformance.js';
import type { SharedBroker } from './installation.js';
import { interestConformance } from './interest-conformance.js';
import { MemoryBroker } from './memory-broker.js';

const open = (): Promise<SharedBroker> => {
  const broker = new MemoryBroker();
  return Promise.resolve({ routing: 'interest', wire: () => Promise.resolve(broker.wire()) });
};

brokerConformance('of the tests', open);
interestConformance('the broker of the tests', open);
