import { engine, whyMissing } from '@carillon/test-backends';
import type * as AblyModule from 'ably';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Page } from '../clients/page.js';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { AblyClients } from './ably.js';
import { AblyPage } from './ably-page.js';
import { keyOf } from './key.js';
import { RefusingProxy } from './refusing-proxy.js';

/** What the page offers, and where the tests keep what they share between runs. */
declare const Ably: typeof AblyModule;
declare const client: AblyModule.Realtime;
declare const heard: unknown[];

interface Connecting {
  readonly port: number;
  readonly key: string;
  readonly transports: AblyModule.Transport[];
}

/** Connects the page and attaches a channel, whose messages it keeps. */
async function connect({ port, key, transports }: Connecting): Promise<string> {
  // The library remembers the transport of an earlier page.
  localStorage.clear();
  const created = new Ably.Realtime({
    key,
    port,
    endpoint: '127.0.0.1',
    tls: false,
    clientId: 'ada',
    transports,
    disconnectedRetryTimeout: 100,
  });
  Object.assign(globalThis, { client: created, heard: [] });
  await created.channels.get('browser').subscribe(({ data }) => void heard.push(data));
  const { activeProtocol } = (
    created.connection as unknown as {
      connectionManager: { activeProtocol: { transport: { shortName: string } } };
    }
  ).connectionManager;
  return activeProtocol.transport.shortName;
}

/** Waits until the page has heard so much; resolves with it. */
async function hears(count: number): Promise<unknown[]> {
  while (heard.length < count) await new Promise((later) => setTimeout(later, 10));
  return heard;
}

/** A client of version 1.2, as far as it is used here. */
interface OlderClient {
  readonly connection: {
    readonly connectionManager: {
      readonly activeProtocol: { readonly transport: { readonly shortName: string } };
    };
  };
  readonly channels: {
    get(name: string): {
      subscribe(listener: (message: { readonly data: unknown }) => void): void;
      attach(attached: () => void): void;
      publish(name: string, data: string): void;
    };
  };
  close(): void;
}

/** Connects a page with the older client and publishes to itself; resolves with the message and the transport. */
function speakOlder({
  port,
  key,
  transport,
}: {
  readonly port: number;
  readonly key: string;
  readonly transport: string;
}): Promise<unknown> {
  localStorage.clear();
  const Realtime = Ably.Realtime as unknown as new (options: object) => OlderClient;
  const host = '127.0.0.1';
  const transports = [transport];
  const created = new Realtime({ key, port, realtimeHost: host, restHost: host, tls: false, transports });
  const channel = created.channels.get('older');
  return new Promise((resolve) => {
    channel.subscribe(({ data }) => {
      const { shortName } = created.connection.connectionManager.activeProtocol.transport;
      created.close();
      resolve([data, shortName]);
    });
    channel.attach(() => channel.publish('n', 'x'));
  });
}

const shop = openTenant('shop', { history: { enabled: true } });
const env = { HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory' };

describe.runIf(whyMissing('chromium') === null)('with Chromium', () => {
  onServer(
    'a page without WebSockets',
    // REST requests of a page carry credentials, which need an origin by name.
    {
      tenants: [shop],
      config: { compat: { enabled: true }, cors: { origin: ['http://127.0.0.1:*'], credentials: true } },
      env,
    },
    (node) => {
      const clients = new AblyClients(node, shop);
      let browser: string;
      let site: AblyPage;
      let proxy: RefusingProxy;
      let port: number;
      const pages: Page[] = [];
      beforeAll(async () => {
        browser = (await engine('chromium')).url;
        site = await AblyPage.serve(2);
        proxy = new RefusingProxy(() => [node.port]);
        port = await proxy.listen();
      });
      afterEach(async () => {
        clients.close();
        await Promise.all(pages.splice(0).map((page) => page.close()));
      });
      afterAll(() => {
        site.close();
        proxy.close();
      });
      const open = async (): Promise<Page> => {
        const page = await Page.open(browser, site.url);
        pages.push(page);
        return page;
      };
      const connected = async (transports: AblyModule.Transport[]): Promise<Page> => {
        const page = await open();
        expect(await page.run(connect, { port, key: keyOf(shop), transports })).toBe('xhr_polling');
        return page;
      };
      const publisher = () => clients.rest().channels.get('browser');

      it('polls: publishes, enters presence, reads history, renews its token and closes', async () => {
        const page = await connected(['xhr_polling']);
        await publisher().publish('n', 'from rest');
        await page.run(async () => {
          const channel = client.channels.get('browser');
          await channel.publish('n', { n: 1 });
          await channel.presence.enter('here');
        }, null);
        expect(await page.run(hears, 2)).toEqual(['from rest', { n: 1 }]);
        const members = await page.run(
          async () => (await client.channels.get('browser').presence.get()).map(({ clientId }) => clientId),
          null,
        );
        expect(members).toEqual(['ada']);
        const [last] = await page.run(
          async () =>
            (await client.channels.get('browser').history({ limit: 1 })).items.map(
              ({ data }) => data as unknown,
            ),
          null,
        );
        expect(last).toEqual({ n: 1 });
        const ids = await page.run(async () => {
          const { id } = client.connection;
          await client.auth.authorize();
          await client.channels.get('browser').publish('n', 'renewed');
          return [id, client.connection.id];
        }, null);
        expect(ids[1]).toBe(ids[0]);
        expect(await page.run(hears, 3)).toContain('renewed');
        const state = await page.run(async () => {
          client.close();
          return (await client.connection.whenState('closed'))?.current ?? client.connection.state;
        }, null);
        expect(state).toBe('closed');
      });

      it('falls back to polling when the proxy refuses Upgrade', async () => {
        const page = await connected(['web_socket', 'xhr_polling']);
        await publisher().publish('n', 'x');
        expect(await page.run(hears, 1)).toEqual(['x']);
        expect(proxy.refused).toBeGreaterThan(0);
      });

      it('receives what it missed while it had no network', async () => {
        const page = await connected(['xhr_polling']);
        const id = await page.run(() => client.connection.id, null);
        await page.network(false);
        await page.run(async () => {
          if (client.connection.state === 'connected') await client.connection.once('disconnected');
        }, null);
        for (const n of ['1', '2', '3']) await publisher().publish('n', n);
        await page.network(true);
        expect(await page.run(hears, 3)).toEqual(['1', '2', '3']);
        expect(await page.run(() => client.connection.id, null)).toBe(id);
      });

      it.each(['xhr_streaming', 'xhr_polling'])(
        'with the older client attaches and publishes over %s',
        async (transport) => {
          const older = await AblyPage.serve(1);
          const page = await Page.open(browser, older.url);
          pages.push(page);
          try {
            const outcome = await page.run(speakOlder, { port, key: keyOf(shop), transport });
            expect(outcome).toEqual(['x', transport]);
          } finally {
            older.close();
          }
        },
      );

      it('reads an event stream and resumes it by itself when it breaks', async () => {
        const page = await open();
        await page.run(
          (url) =>
            new Promise((opened) => {
              const source = new EventSource(url);
              Object.assign(globalThis, { heard: [], source });
              source.addEventListener('message', ({ data }) => {
                heard.push((JSON.parse(String(data)) as { data: unknown }).data);
              });
              source.addEventListener('open', () => opened(null));
            }),
          `http://127.0.0.1:${port}/sse?channels=events&key=${keyOf(shop)}`,
        );
        const channel = clients.rest().channels.get('events');
        await channel.publish('n', '1');
        expect(await page.run(hears, 1)).toEqual(['1']);
        proxy.cut();
        for (const n of ['2', '3', '4']) await channel.publish('n', n);
        expect(await page.run(hears, 4)).toEqual(['1', '2', '3', '4']);
      });
    },
  );
});
