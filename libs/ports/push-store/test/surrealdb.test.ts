import { deliveriesConformance } from './conformance-deliveries.js';
import { upkeepConformance } from './conformance-upkeep.js';
import { pushStoreConformance } from './conformance.js';
import { recordsDriverScene } from './scene.js';

const scene = recordsDriverScene('surrealdb');

pushStoreConformance('surrealdb', scene);
deliveriesConformance('surrealdb', scene);
upkeepConformance('surrealdb', scene);
