import { describe, expect, it } from 'vitest';
import { ClientV2, positionOf } from '../harness/client-v2.js';
import { onCluster } from '../harness/cluster.js';
import { FORMATS } from '../harness/wire-v2.js';
import { protocol2 } from '../protocol-2/everything.js';
import { heard, kept, passing, Place, placed, SETTINGS } from '../protocol-2/place.js';

const setting = {
  tenants: () => [kept, passing],
  more: ['history-writer'],
  env: { ...SETTINGS, VERSIONED_MESSAGES_DRIVER: 'postgres' },
  database: true,
} as const;

// One broker: which of them carries what is asked by the tests of recovery and of processes as one service.
onCluster('protocol 2 at two gateways', ['nats'], setting, (cluster) => {
  protocol2(cluster);

  describe('after a gateway was killed', () => {
    it('another reads what that one had in memory, rewinds, and gives its pages, in each format', async () => {
      const place = new Place(cluster, kept, 'json');
      const first = await place.connect(0);
      const begun = await first.subscribe('lost');
      expect(begun).toMatchObject({ serial: 0, data: '{"attach_serial":0}' });
      await place.publish('lost', '1', '2', '3', '4', 'last');
      expect(placed(await heard(first))).toEqual(['1 1', '2 2', '3 3', '4 4']);
      await cluster.gateway(0).process.kill();
      for (const format of FORMATS) {
        const client = await ClientV2.connect(cluster.gateway(0), { format });
        client.askResume({ lost: { ...positionOf(begun), serial: 1 } });
        await client.until('service:resume_success');
        await client.subscribe('lost', { rewind: 2 });
        expect(placed(await client.through('service:resume_success'))).toEqual([
          '2 2',
          '3 3',
          '4 4',
          'last 5',
        ]);
        expect(placed(await client.through('service:rewind_complete'))).toEqual(['4 4', 'last 5']);
        const data = { channel: 'lost', limit: 2, until_attach: true };
        client.send({ event: 'service:channel_history', data });
        expect(await client.next()).toMatchObject({
          event: 'service:channel_history',
          data: { items: [{ serial: 5 }, { serial: 4 }], bounds: { attach_serial: 5 } },
        });
      }
    });
  });
});
