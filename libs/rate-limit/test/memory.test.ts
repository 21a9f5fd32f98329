import { conformance } from './conformance.js';
import { memorySubject } from './manual-clock.js';

conformance('memory', async () => memorySubject());
