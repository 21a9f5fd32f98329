import { expect, it } from 'vitest';
import { sns } from '../src/engines/moto.js';
import { engine } from '../src/index.js';

it('moto lists a topic that was created', async () => {
  const topics = await engine('moto');
  const { name: Name } = await topics.isolate();
  await sns(topics.url, 'CreateTopic', { Name });
  expect(await sns(topics.url, 'ListTopics')).toContain(`:${Name}<`);
});
