import { pushOver } from './matrix.js';
import { deliveries } from './suites/deliveries.js';
import { identity } from './suites/identity.js';
import { lostWork } from './suites/lost-work.js';
import { requests } from './suites/requests.js';
import { resources } from './suites/resources.js';
import { secrets } from './suites/secrets.js';

const everywhere = { requests, resources, deliveries, identity, secrets };

for (const storage of ['memory', 'postgres', 'mysql'] as const) {
  for (const broker of ['memory', 'redis'] as const) pushOver(storage, broker, { ...everywhere, lostWork });
  // Attempts that are to follow wait in the store there, where no queue can lose them.
  for (const broker of ['nats', 'rabbitmq'] as const) pushOver(storage, broker, everywhere);
}
