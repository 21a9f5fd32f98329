import { engine, whyMissing } from '@carillon/test-backends';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { Backend } from './backend.js';
import type { PusherClient, PusherOptions } from './libraries.js';
import { Page } from './page.js';

/** What a page that has loaded pusher-js offers, and where the tests keep what they share between runs. */
declare const Pusher: new (key: string, options: PusherOptions) => PusherClient;
declare const heard: unknown[];
declare const client: PusherClient;

interface Connecting {
  readonly key: string;
  readonly options: PusherOptions;
}

/** Connects the page; what is heard on the named channels is kept in it. */
async function connect({ key, options }: Connecting): Promise<string> {
  const client = new Pusher(key, options);
  Object.assign(globalThis, { client, heard: [] });
  return new Promise((settled) => {
    client.connection.bind('connected', () => settled('connected'));
    client.connection.bind(
      'error',
      (error: { data?: { code: number }; error?: { data: { code: number } } }) =>
        settled(`error ${error.data?.code ?? error.error?.data.code}`),
    );
  });
}

/** Subscribes the page; resolves with what it is told. */
const subscribe = (name: string): Promise<unknown> =>
  new Promise((told) => {
    const channel = client.subscribe(name);
    channel.bind_global((event: string, data: unknown) => heard.push([event, data]));
    channel.bind('pusher:subscription_succeeded', (data: unknown) =>
      told(JSON.parse(JSON.stringify(data ?? null))),
    );
    channel.bind('pusher:subscription_error', told);
  });

/** Waits until the page has heard an event; resolves with its data. */
async function hears(wanted: string): Promise<unknown> {
  for (;;) {
    const found = heard.find((one) => (one as [string])[0] === wanted) as [string, unknown] | undefined;
    if (found !== undefined) return found[1];
    await new Promise((later) => setTimeout(later, 10));
  }
}

const shop = openTenant('shop');
const own = openTenant('own', { channels: { allowed_origins: ['http://127.0.0.1:*'] } });

describe.runIf(whyMissing('chromium') === null)('with Chromium', () => {
  onServer('a page in a browser', { tenants: [shop, own] }, (node) => {
    let browser: string;
    let backend: Backend;
    const pages: Page[] = [];
    beforeAll(async () => {
      browser = (await engine('chromium')).url;
      backend = await Backend.start(node);
    });
    afterEach(async () => {
      await Promise.all(pages.splice(0).map((page) => page.close()));
    });
    afterAll(() => backend.close());

    const open = async (host = '127.0.0.1'): Promise<Page> => {
      const page = await Page.open(browser, `http://${host}:${backend.port}/`);
      pages.push(page);
      return page;
    };
    const connected = async (user: string): Promise<Page> => {
      const page = await open();
      const options = backend.clientOptions(node, user);
      expect(await page.run(connect, { key: backend.key, options })).toBe('connected');
      return page;
    };

    it('receives public, private and encrypted events', async () => {
      const page = await connected('ada');
      for (const channel of ['orders', 'private-orders', 'private-encrypted-vault'])
        await page.run(subscribe, channel);
      await backend.pusher.trigger('orders', 'public-tick', { n: 1 });
      await backend.pusher.trigger('private-orders', 'private-tick', 'text');
      await backend.pusher.trigger('private-encrypted-vault', 'secret-tick', { gold: 'ünïcode ☃' });
      expect(await page.run(hears, 'public-tick')).toEqual({ n: 1 });
      expect(await page.run(hears, 'private-tick')).toBe('text');
      expect(await page.run(hears, 'secret-tick')).toEqual({ gold: 'ünïcode ☃' });
    });

    it('meets another page in a presence channel and sends it events', async () => {
      const [ada, bo] = [await connected('ada'), await connected('bo')];
      await ada.run(subscribe, 'presence-lobby');
      expect(await bo.run(subscribe, 'presence-lobby')).toMatchObject({
        count: 2,
        members: { ada: { name: 'ada' }, bo: { name: 'bo' } },
      });
      await bo.run(
        (name) => void client.channel(name).trigger('client-wave', { hand: 'left' }),
        'presence-lobby',
      );
      expect(await ada.run(hears, 'client-wave')).toEqual({ hand: 'left' });
      await bo.close();
      pages.splice(pages.indexOf(bo), 1);
      expect(await ada.run(hears, 'pusher:member_removed')).toEqual({
        id: 'bo',
        info: { name: 'bo' },
      });
    });

    it('reads a refusal from its channel', async () => {
      const page = await connected('ada');
      expect(await page.run(subscribe, 'private-forged')).toMatchObject({ status: 401, code: 4009 });
    });

    it('is admitted by its origin, which the browser tells', async () => {
      const options = backend.clientOptions(node, 'ada');
      const inside = await open();
      expect(await inside.run(connect, { key: own.key, options })).toBe('connected');
      const outside = await open('localhost');
      expect(await outside.run(connect, { key: own.key, options })).toBe('error 4009');
    });

    it('can read the code and the reason of a close', async () => {
      const page = await open();
      const closed = await page.run(
        (url) =>
          new Promise((closed) => {
            new WebSocket(url).addEventListener('close', ({ code, reason }) => closed({ code, reason }));
          }),
        `ws://127.0.0.1:${node.port}/app/nobody?protocol=7`,
      );
      expect(closed).toEqual({ code: 4001, reason: 'Application does not exist' });
    });

    it('may call the HTTP side from another origin, as far as CORS goes', async () => {
      const page = await open();
      const status = await page.run(
        async (url) => (await fetch(url, { method: 'POST', body: '{}' })).status,
        `http://127.0.0.1:${node.port}/apps/${shop.id}/events`,
      );
      expect(status).toBe(401);
    });
  });
});
