import { engine } from '@carillon/test-backends';
import { conformance } from './conformance.js';
import { redisStore } from './redis-store.js';

conformance('redis', async () => redisStore(await engine('redis')));
