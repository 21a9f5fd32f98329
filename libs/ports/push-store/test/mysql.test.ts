import { pushStoreConformance } from './conformance.js';
import { sqlScene } from './scene.js';

pushStoreConformance('mysql', sqlScene('mysql'));
