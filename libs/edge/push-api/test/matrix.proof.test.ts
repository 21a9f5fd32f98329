import { pushOver } from './matrix.js';
import { deliveries } from './suites/deliveries.js';
import { lostWork } from './suites/lost-work.js';
import { requests } from './suites/requests.js';
import { resources } from './suites/resources.js';
import { secrets } from './suites/secrets.js';

for (const storage of ['memory', 'postgres', 'mysql'] as const) {
  for (const broker of ['memory', 'nats', 'redis'] as const) {
    pushOver(storage, broker, { requests, resources, deliveries, lostWork, secrets });
  }
}
