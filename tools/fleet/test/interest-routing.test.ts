import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fleet } from '../src/nodes/fleet.js';
import { RedisPeer } from '../src/peer/redis-peer.js';
import { measureRouting } from '../src/routing.js';

const CHANNELS = 1000;
const DATA_BYTES = 2000;

describe.each(['nats', 'redis'] as const)('a fleet over %s', (driver) => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await Fleet.start(driver);
  });
  afterAll(() => fleet.release());

  it('sends events of 1000 channels to the one gateway whose clients have them', async () => {
    const [holder, ...others] = await measureRouting(fleet, CHANNELS, DATA_BYTES);
    expect(holder).toMatchObject({ events: CHANNELS, unneeded: 0, interestChannels: CHANNELS });
    expect(holder?.inboundBytes).toBeGreaterThan(CHANNELS * DATA_BYTES);
    for (const other of others) {
      expect(other).toMatchObject({ events: 0, unneeded: 0, interestChannels: 0 });
      // Heartbeats and answers of the broker to keep-alives, and not one in a hundred of the events.
      expect(other.inboundBytes).toBeLessThan((CHANNELS * DATA_BYTES) / 100);
    }
  });
});

describe('the broker of a fleet over redis', () => {
  it('has one subscriber of a channel that clients of one gateway have, and none of any other', async () => {
    const fleet = await Fleet.start('redis');
    const peer = await RedisPeer.open(fleet.broker.engine.port);
    try {
      await measureRouting(fleet, 10, 10);
      const channels = await peer.ask('PUBSUB', 'CHANNELS', `${fleet.broker.prefix}#ch:*`);
      expect(channels).toHaveLength(10);
      const counts = await peer.ask('PUBSUB', 'NUMSUB', ...(channels as string[]));
      expect((counts as unknown[]).filter((_, index) => index % 2 === 1)).toEqual(Array(10).fill(1));
    } finally {
      peer.close();
      await fleet.release();
    }
  });
});
