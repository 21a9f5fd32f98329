import { deliveriesConformance } from './conformance-deliveries.js';
import { processesConformance } from './conformance-processes.js';
import { upkeepConformance } from './conformance-upkeep.js';
import { pushStoreConformance } from './conformance.js';
import { processesScene, recordsDriverScene } from './scene.js';

const scene = recordsDriverScene('surrealdb');

pushStoreConformance('surrealdb', scene);
deliveriesConformance('surrealdb', scene);
upkeepConformance('surrealdb', scene);
processesConformance('surrealdb', processesScene('surrealdb'));
