import { ServiceError } from '@carillon/errors';
import { expect, it } from 'vitest';
import { cutOff, last, namesOf, publication, publish, scene } from './scene.js';

const reason = new Error('connection lost');

it.each([publication({ event: 'tick' }), last('tick')])(
  'the publisher is told; local delivery stands',
  async (published) => {
    const { publisher, delivered } = scene({ publish: cutOff(reason) });
    const refused = await publish(publisher, published).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ServiceError);
    expect(refused).toMatchObject({ code: 'service_unavailable', cause: reason });
    expect(namesOf(delivered)).toEqual(['tick']);
  },
);

it('the receipt waits for the other processes', async () => {
  const order: string[] = [];
  const reach = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    order.push('reached');
  };
  const { publisher } = scene({ publish: reach });
  const receipt = await publisher.publish(publication({ messageId: 'm1' }));
  order.push('told');
  expect({ order, receipt }).toEqual({ order: ['reached', 'told'], receipt: { messageId: 'm1' } });
});

it('an event that cannot be sent does not hold up the next of its channel', async () => {
  const { publisher } = scene({
    publish: ({ fact }) => {
      if (fact.kind === 'message' && fact.event === 'first') throw reason;
      return undefined;
    },
  });
  const first = publish(publisher, last('first'));
  const second = publish(publisher, last('second', { messageId: 'm2' }));
  await expect(first).rejects.toBe(reason);
  expect(await second).toEqual({ messageId: 'm2' });
});
