import { expect, it } from 'vitest';
import { Broker } from '../src/broker/broker.js';
import { Socket } from '../src/clients/socket.js';
import { Node } from '../src/nodes/node.js';
import { RedisPeer } from '../src/peer/redis-peer.js';

it(
  'Redis has one subscriber of a channel that clients of one of two gateways have',
  { timeout: 60_000 },
  async () => {
    const broker = await Broker.start('redis');
    const [one, other] = [
      await Node.create('gateway', 'gateway-1', broker),
      await Node.create('gateway', 'gateway-2', broker),
    ];
    const peer = await RedisPeer.open(broker.engine.port);
    try {
      await one.start();
      await other.start();
      const clients = [await Socket.open(one.port, () => {}), await Socket.open(one.port, () => {})];
      for (const client of clients) await client.subscribe('orders');
      const [channel = ''] = (await peer.ask('PUBSUB', 'CHANNELS', `${broker.prefix}#ch:*`)) as string[];
      expect(channel).toMatch(/orders$/);
      expect(await peer.ask('PUBSUB', 'NUMSUB', channel)).toEqual([channel, 1]);
      const shared = `${broker.prefix}#control`;
      expect(await peer.ask('PUBSUB', 'NUMSUB', shared)).toEqual([shared, 2]);
    } finally {
      peer.close();
      await one.release();
      await other.release();
      await broker.release();
    }
  },
);
