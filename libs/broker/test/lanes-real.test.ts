import { lanesConformance } from './lanes-conformance.js';
import { REAL_WIRES, shared } from './wires.js';

/** In a Redis cluster each server counts only its own subscribers; Iggy, Kafka and Pulsar count none. */
const KNOW_RESPONDERS = new Set(['nats', 'rabbitmq', 'redis']);
/** The others have one reader of an address by agreement. */
const HAVE_GROUPS = new Set(['google-pubsub', 'nats', 'pulsar', 'rabbitmq']);

for (const real of REAL_WIRES) {
  lanesConformance(real.name, async () => {
    const { url, prefix } = await shared(real);
    return {
      routing: real.routing,
      wire: () => real.open(url, prefix),
      knowsResponders: KNOW_RESPONDERS.has(real.name),
      takers: HAVE_GROUPS.has(real.name) ? 'one' : 'all',
      hasHeads: real.engine?.startsWith('redis') === true,
    };
  });
}
