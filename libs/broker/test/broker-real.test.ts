import { brokerConformance } from './broker-conformance.js';
import { interestConformance } from './interest-conformance.js';
import { REAL_WIRES, shared } from './wires.js';

for (const real of REAL_WIRES) {
  const open = async () => {
    const { url, prefix } = await shared(real);
    return { routing: real.routing, wire: () => real.open(url, prefix) };
  };
  brokerConformance(real.name, open);
  if (real.routing === 'interest') interestConformance(real.name, open);
}
