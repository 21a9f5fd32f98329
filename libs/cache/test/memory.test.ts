import { conformance } from './conformance.js';
import { memoryStore } from './memory-store.js';

conformance('memory', async () => memoryStore());
