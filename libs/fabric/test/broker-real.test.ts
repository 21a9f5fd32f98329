import { brokerConformance } from './broker-conformance.js';
import { REAL_WIRES, shared } from './wires.js';

for (const real of REAL_WIRES) {
  brokerConformance(real.name, real.routing, async () => {
    const { url, prefix } = await shared(real);
    return { wire: () => real.open(url, prefix) };
  });
}
