import { pushOver } from './matrix.js';
import { deliveries } from './suites/deliveries.js';
import { identity } from './suites/identity.js';

pushOver('mysql', 'redis', { deliveries, identity });
