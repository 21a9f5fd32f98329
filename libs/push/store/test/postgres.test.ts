import { adoptedConformance } from './conformance-adopted.js';
import { deliveriesConformance } from './conformance-deliveries.js';
import { upkeepConformance } from './conformance-upkeep.js';
import { pushStoreConformance } from './conformance.js';
import { sqlScene } from './scene.js';

pushStoreConformance('postgres', sqlScene('postgres'));
deliveriesConformance('postgres', sqlScene('postgres'));
upkeepConformance('postgres', sqlScene('postgres'));
adoptedConformance('postgres');
