import { pushOver } from './matrix.js';
import { deliveries } from './suites/deliveries.js';
import { identity } from './suites/identity.js';
import { lostWork } from './suites/lost-work.js';
import { resources } from './suites/resources.js';

pushOver('postgres', 'redis', { resources, deliveries, identity, lostWork });
