import { brokerFailures } from './broker-failures.js';
import { pulsarScene } from './pulsar-scene.js';

brokerFailures('pulsar', pulsarScene);
