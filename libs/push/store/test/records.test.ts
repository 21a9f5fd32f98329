import { deliveriesConformance } from './conformance-deliveries.js';
import { upkeepConformance } from './conformance-upkeep.js';
import { pushStoreConformance } from './conformance.js';
import { recordsScene } from './scene.js';

pushStoreConformance('records in memory', recordsScene);
deliveriesConformance('records in memory', recordsScene);
upkeepConformance('records in memory', recordsScene);
