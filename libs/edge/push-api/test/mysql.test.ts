import { pushOver } from './matrix.js';
import { deliveries } from './suites/deliveries.js';

pushOver('mysql', 'redis', { deliveries });
