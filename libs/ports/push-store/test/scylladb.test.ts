import { deliveriesConformance } from './conformance-deliveries.js';
import { upkeepConformance } from './conformance-upkeep.js';
import { pushStoreConformance } from './conformance.js';
import { recordsDriverScene } from './scene.js';

const scene = recordsDriverScene('scylladb');

pushStoreConformance('scylladb', scene);
deliveriesConformance('scylladb', scene);
upkeepConformance('scylladb', scene);
