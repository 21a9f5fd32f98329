import { pushStoreConformance } from './conformance.js';
import { memoryScene } from './scene.js';

pushStoreConformance('memory', memoryScene);
