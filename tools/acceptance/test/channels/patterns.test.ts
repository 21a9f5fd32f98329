import { describe, expect, it } from 'vitest';
import { ClientV2, type FrameV2 } from '../harness/client-v2.js';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';

const shop = openTenant('shop');

/** Whose place in its stream each has. */
const placed = ({ channel, data, serial }: FrameV2): readonly unknown[] => [channel, data, serial];

describe.each([
  ['with a history', { history: { enabled: true, backend: 'memory' } }],
  ['without a history', { connection_recovery: { enabled: true } }],
] as const)('of channels %s', (_what, config) => {
  onServer('a pattern', { tenants: [shop], config }, (node) => {
    it('brings everything in its place, from the first on, though nobody has the channel itself', async () => {
      const client = await ClientV2.connect(node);
      await client.subscribe('news.*');
      for (let n = 1; n <= 3; n += 1) await node.api().publish('news.eu', 'e', `${n}`);
      for (let n = 1; n <= 3; n += 1) expect(placed(await client.until('e'))).toEqual(['news.eu', `${n}`, n]);
      const exact = await ClientV2.connect(node);
      await exact.subscribe('news.eu');
      await node.api().publish('news.eu', 'e', '4');
      for (const one of [client, exact]) expect(placed(await one.until('e'))).toEqual(['news.eu', '4', 4]);
      exact.send({ event: 'service:unsubscribe', data: { channel: 'news.eu' } });
      await exact.pending();
      await node.api().publish('news.eu', 'e', '5');
      expect(placed(await client.until('e'))).toEqual(['news.eu', '5', 5]);
      expect((await client.pending()).filter(({ event }) => event === 'e')).toEqual([]);
    });
  });
});
