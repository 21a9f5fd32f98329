import { expect, it } from 'vitest';
import { ClientV2 } from './client-v2.js';
import { Hold } from './ports.js';
import { eventually, openRoom } from './room.js';

it('a request for history right behind a subscribe waits for it', async () => {
  const room = await openRoom();
  const holds: Hold[] = [];
  room.broker.confirm = () => {
    const hold = new Hold();
    holds.push(hold);
    return hold;
  };
  const client = await ClientV2.connect(room.port, 'json');
  client.subscribe('orders');
  client.send('service:channel_history', { channel: 'orders' });
  expect((await client.heard()).map(({ event }) => event)).toEqual(['service:connection_established']);
  await eventually(() => holds.length > 0);
  holds[0]?.release();
  await client.until('service_internal:subscription_succeeded');
  // It is subscribed; only that nothing is kept of the channel.
  expect(client.value(await client.until('service:error'))).toMatchObject({ code: 4300 });
});
