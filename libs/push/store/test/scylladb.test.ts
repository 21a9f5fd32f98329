import { deliveriesConformance } from './conformance-deliveries.js';
import { processesConformance } from './conformance-processes.js';
import { upkeepConformance } from './conformance-upkeep.js';
import { pushStoreConformance } from './conformance.js';
import { processesScene, recordsDriverScene } from './scene.js';

const scene = recordsDriverScene('scylladb');

pushStoreConformance('scylladb', scene);
deliveriesConformance('scylladb', scene);
upkeepConformance('scylladb', scene);
processesConformance('scylladb', processesScene('scylladb'));
