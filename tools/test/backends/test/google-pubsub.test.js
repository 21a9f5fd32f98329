import { expect, it } from 'vitest';
import { listTopics } from '../src/engines/google-pubsub.js';
import { engine } from '../src/index.js';

it('google-pubsub answers requests of its protocol, again after it was killed', async () => {
  const server = await engine('google-pubsub', { own: true });
  await listTopics(server.url);
  await server.kill();
  await expect(listTopics(server.url)).rejects.toThrow('ECONNREFUSED');
  await server.restart();
  await listTopics(server.url);
  await server.release();
});
