import { engine } from '@carillon/test-backends';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cluster } from '../harness/cluster.js';
import { eventually } from '../harness/eventually.js';
import { Node } from '../harness/node.js';
import { openTenant, type Tenant } from '../harness/tenant.js';

const before = openTenant('shop');
const after: Tenant = { ...before, secret: 'another-s3cr3t-for-tests-only' };
const disabled: Tenant = { ...after, enabled: false };
const bystander = openTenant('other');

/**
 * Polls of the store come every 30 s, and what api nodes remember lives for 5 s: sooner is word from the other node.
 * Promised are 1 s and 6 s; the rest is for a busy machine.
 */
const HEARD_WITHIN_MS = 5000;
const FORGOTTEN_WITHIN_MS = 10_000;

// What is shared plays no part here, only the way of the word.
describe.each(['nats', 'rabbitmq'] as const)(
  'an app that another node changes in the shared store (%s)',
  (broker) => {
    let corner: { readonly url: string; end(): Promise<void> };
    let cluster: Cluster;
    let env: Readonly<Record<string, string>>;

    beforeAll(async () => {
      corner = await (await engine('postgres')).isolate();
      const { hostname, port, username, password, pathname } = new URL(corner.url);
      env = {
        APP_MANAGER_DRIVER: 'postgres',
        DATABASE_POSTGRES_HOST: hostname,
        DATABASE_POSTGRES_PORT: port,
        DATABASE_POSTGRES_USERNAME: decodeURIComponent(username),
        DATABASE_POSTGRES_PASSWORD: decodeURIComponent(password),
        DATABASE_POSTGRES_DATABASE: pathname.slice(1),
      };
      cluster = new Cluster(broker, { tenants: () => [before, bystander], env });
      await cluster.start();
    });
    afterAll(async () => {
      await cluster.stop();
      await corner.end();
    });

    /** A node that begins with another record of the app writes it, and tells the others. */
    async function write(tenant: Tenant): Promise<void> {
      const writer = new Node('api', {
        tenants: [tenant, bystander],
        env: { ...cluster.env, SERVICE_SERVER_ROLE: 'api' },
      });
      await writer.start();
      await writer.stop();
    }

    const status = async (port: number, tenant: Tenant): Promise<number> => {
      const body = JSON.stringify({ name: 'e', channel: 'c', data: 'x' });
      return (await cluster.gateway(0).apiAt(port, tenant).request('POST', '/events', { body })).status;
    };

    it('is known to every gateway at once and to api nodes soon, and its sockets stay as long as it is enabled', async () => {
      const clients = await cluster.both(before);
      const [gateway, other, api] = [cluster.gateway(0), cluster.gateway(1), cluster.apiNode];
      for (const { port } of [gateway, other, api]) expect(await status(port, before)).toBe(200);
      await write(after);
      const isRefused = (port: number) => async () => expect(await status(port, before)).toBe(401);
      for (const { port } of [gateway, other]) {
        await eventually(isRefused(port), HEARD_WITHIN_MS);
        expect(await status(port, after)).toBe(200);
      }
      await eventually(isRefused(api.port), FORGOTTEN_WITHIN_MS);
      for (const client of clients) {
        await client.subscribe('orders');
        expect(await client.pending()).toEqual([]);
      }

      const stranger = await cluster.connect(0, bystander);
      await write(disabled);
      for (const client of clients) expect((await client.ended()).code).toBe(4003);
      await stranger.subscribe('orders');
    });
  },
);
