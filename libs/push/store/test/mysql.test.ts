import { adoptedConformance } from './conformance-adopted.js';
import { deliveriesConformance } from './conformance-deliveries.js';
import { upkeepConformance } from './conformance-upkeep.js';
import { pushStoreConformance } from './conformance.js';
import { sqlScene } from './scene.js';

pushStoreConformance('mysql', sqlScene('mysql'));
deliveriesConformance('mysql', sqlScene('mysql'));
upkeepConformance('mysql', sqlScene('mysql'));
adoptedConformance('mysql');
