import { engine, whyMissing } from '@carillon/test-backends';
import * as Ably from 'ably';
import { beforeAll, describe, expect, it } from 'vitest';
import { tellDriver } from '../clients/driven.js';
import { onServer } from '../harness/every-app.js';
import { eventually } from '../harness/eventually.js';
import { openTenant } from '../harness/tenant.js';
import { keyOf } from './key.js';

const shop = openTenant('shop', { history: { enabled: true } });
const env = { HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory' };
const config = { compat: { enabled: true } };

describe.runIf(whyMissing('ably-python') === null)('with Python', () => {
  onServer('ably', { tenants: [shop], config, env }, (node) => {
    let url: string;
    beforeAll(async () => {
      ({ url } = await engine('ably-python'));
    });
    const tell = (what: string, given: object): Promise<unknown> => tellDriver(url, { do: what, ...given });
    const options = (more: object = {}): Readonly<Record<string, unknown>> => ({
      key: keyOf(shop),
      rest_host: '127.0.0.1',
      port: node.port,
      tls: false,
      // It sends a key over TLS only.
      use_token_auth: true,
      ...more,
    });

    it.each([true, false])(
      'publishes and reads back over REST, page by page (binary: %s)',
      async (binary) => {
        const rest = { options: options({ use_binary_protocol: binary }), channel: `python-${binary}` };
        for (const n of [1, 2, 3]) await tell('rest_publish', { ...rest, name: `n${n}`, data: { n } });
        const { pages } = (await tell('rest_history', { ...rest, limit: 2 })) as {
          pages: { data: object }[][];
        };
        expect(pages.map((page) => page.map(({ data }) => data))).toEqual([[{ n: 3 }, { n: 2 }], [{ n: 1 }]]);
      },
    );

    it('gets a token that another library connects with, and the time', async () => {
      const { token } = (await tell('rest_token', { options: options(), client_id: 'ada' })) as {
        token: string;
      };
      const client = new Ably.Realtime({ token, endpoint: '127.0.0.1', port: node.port, tls: false });
      await client.connection.once('connected');
      expect(client.auth.clientId).toBe('ada');
      client.close();
      const { time } = (await tell('rest_time', { options: options() })) as { time: number };
      expect(time).toBeGreaterThan(1_600_000_000_000);
    });

    it.each([true, false])('speaks with another library over connections (binary: %s)', async (binary) => {
      const channel = `python-live-${binary}`;
      const { token } = (await tell('rest_token', { options: options(), client_id: 'py' })) as {
        token: string;
      };
      // Its connections know a port only as a part of the host.
      const endpoint = `127.0.0.1:${node.port}`;
      const given = { token, endpoint, tls: false, use_binary_protocol: binary };
      const { client } = (await tell('connect', { options: given })) as { client: number };
      await tell('subscribe', { client, channel });
      const other = new Ably.Realtime({
        key: keyOf(shop),
        endpoint: '127.0.0.1',
        port: node.port,
        tls: false,
      });
      const heard = new Promise<Ably.InboundMessage>((resolve) => {
        void other.channels.get(channel).subscribe('from-python', resolve);
      });
      await other.channels.get(channel).whenState('attached');
      await other.channels.get(channel).publish('from-js', { n: 1 });
      expect(await tell('next', { client })).toMatchObject({ name: 'from-js', data: { n: 1 } });
      await tell('publish', { client, channel, name: 'from-python', data: { n: 2 } });
      expect(await heard).toMatchObject({ data: { n: 2 }, clientId: 'py' });
      await tell('enter', { client, channel, data: 'here' });
      await eventually(async () => {
        const [member] = await other.channels.get(channel).presence.get();
        expect(member).toMatchObject({ clientId: 'py', data: 'here' });
      });
      const { members } = (await tell('members', { client, channel })) as { members: object[] };
      expect(members).toEqual([{ client_id: 'py', data: 'here' }]);
      other.close();
      await tell('close', { client });
    });
  });
});
