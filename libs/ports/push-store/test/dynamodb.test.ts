import { deliveriesConformance } from './conformance-deliveries.js';
import { upkeepConformance } from './conformance-upkeep.js';
import { pushStoreConformance } from './conformance.js';
import { recordsDriverScene } from './scene.js';

const scene = recordsDriverScene('dynamodb');

pushStoreConformance('dynamodb', scene);
deliveriesConformance('dynamodb', scene);
upkeepConformance('dynamodb', scene);
