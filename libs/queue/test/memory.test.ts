import { queueConformance } from './conformance.js';
import { memoryScene } from './memory-scene.js';

queueConformance('memory', memoryScene);
