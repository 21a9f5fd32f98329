import { brokerConformance } from './broker-conformance.js';
import { MemoryBroker } from './memory-broker.js';

brokerConformance('of the tests', 'interest', () => {
  const broker = new MemoryBroker();
  return Promise.resolve({ wire: () => Promise.resolve(broker.wire()) });
});
