import { pushOver } from './matrix.js';
import { deliveries } from './suites/deliveries.js';
import { identity } from './suites/identity.js';
import { lostWork } from './suites/lost-work.js';
import { requests } from './suites/requests.js';
import { resources } from './suites/resources.js';
import { secrets } from './suites/secrets.js';

pushOver('memory', 'memory', { requests, resources, deliveries, identity, lostWork, secrets });
