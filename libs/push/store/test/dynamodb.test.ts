import { deliveriesConformance } from './conformance-deliveries.js';
import { processesConformance } from './conformance-processes.js';
import { upkeepConformance } from './conformance-upkeep.js';
import { pushStoreConformance } from './conformance.js';
import { processesScene, recordsDriverScene } from './scene.js';

const scene = recordsDriverScene('dynamodb');

pushStoreConformance('dynamodb', scene);
deliveriesConformance('dynamodb', scene);
upkeepConformance('dynamodb', scene);
processesConformance('dynamodb', processesScene('dynamodb'));
