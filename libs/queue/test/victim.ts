// A process that takes jobs and never finishes them, for a test to kill. Settings come as the variables of the service.
import { Logger } from '@carillon/runtime';
import { openQueue } from '../src/index.js';
import { configuration } from '@carillon/testing';
import { quick } from './scene.js';

const env = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
);
const log = new Logger('service::queue', 'off', () => undefined);
const config = configuration(env, env['CONFIG_TEXT']);
const queue = await openQueue(
  config.queue.driver,
  { reliability: quick({ lease_duration_ms: 1000, worker_prefetch: 8 }), log },
  config,
);
await queue.connect();
queue.process('q', ({ id }) => {
  process.send?.(id);
  return new Promise(() => undefined);
});
