import { expect, it } from 'vitest';
import { installation } from './installation.js';
import { MemoryBroker } from './memory-broker.js';
import { QUESTIONS } from './samples.js';

it('Questions ends a request at the answer of the one node that holds the session', async () => {
  const broker = new MemoryBroker();
  const shared = { routing: 'interest', wire: () => Promise.resolve(broker.wire()) } as const;
  const { nodes, second } = await installation(shared, 3);
  const answer = { status: 200, body: '[]' };
  second.gateway.answers = { ...second.gateway.answers, comet_request: answer };
  for (const node of nodes) {
    const asked = await node.broker.ask('comet_request', 'shop', QUESTIONS.comet_request);
    expect(asked).toEqual({ answer, complete: true });
  }
  expect(second.gateway.asked).toHaveLength(nodes.length);
});
