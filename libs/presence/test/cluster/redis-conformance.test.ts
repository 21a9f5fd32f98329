import { presenceConformance } from '../conformance.js';
import { Cluster } from './nodes.js';

const LEASE_MS = 15_000;

for (const driver of ['redis', 'redis-cluster'] as const) {
  presenceConformance(
    driver,
    async (instances) => {
      const cluster = new Cluster(driver);
      const first = (await cluster.open()).presence;
      const others = [];
      for (let more = 1; more < instances; more += 1) others.push((await cluster.open()).presence);
      return {
        instances: [first, ...others],
        leaseMs: LEASE_MS,
        pass: (ms) => cluster.pass(ms),
        close: () => cluster.close(),
      };
    },
    25,
  );
}
