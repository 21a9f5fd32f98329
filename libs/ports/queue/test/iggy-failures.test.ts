import { brokerFailures } from './broker-failures.js';
import { iggyScene } from './iggy-scene.js';

brokerFailures('iggy', iggyScene);
