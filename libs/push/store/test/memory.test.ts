import { deliveriesConformance } from './conformance-deliveries.js';
import { upkeepConformance } from './conformance-upkeep.js';
import { pushStoreConformance } from './conformance.js';
import { memoryScene } from './scene.js';

pushStoreConformance('memory', memoryScene);
deliveriesConformance('memory', memoryScene);
upkeepConformance('memory', memoryScene);
