import { engine } from '@carillon/test-backends';
import { conformance } from './conformance.js';
import { redisSubject } from './redis-subject.js';

conformance('redis', async () => redisSubject(await engine('redis')));
