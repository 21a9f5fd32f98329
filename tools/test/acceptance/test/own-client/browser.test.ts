import type { Carillon, Channel, LiveMessages } from '@carillon/client';
import { engine, whyMissing } from '@carillon/test-backends';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Page } from '../clients/page.js';
import { onServerAtOnce } from '../harness/every-app.js';
import { eventually } from '../harness/eventually.js';
import type { Node } from '../harness/node.js';
import { openTenant } from '../harness/tenant.js';
import { Examples } from './examples.js';

/** What the pages of the examples offer. */
declare const client: Carillon;
declare const lobby: Channel<{ said: { said: number } }>;
declare const room: Channel;
declare const live: LiveMessages;
declare const heard: number[];

/** What the page is without its network for; the answer that grows is read meanwhile. */
const CUT_OFF_MS = 5000;

const shop = openTenant('shop', { channels: { annotations_enabled: true } });
const config = {
  history: { enabled: true, backend: 'memory' },
  connection_recovery: { enabled: true },
  versioned_messages: { enabled: true },
  annotations: { enabled: true },
  ai_transport: { enabled: true, channels: [{ prefix: 'ai-' }] },
};

/** Waits until it is so in the page. */
const comes = (page: Page, isSo: () => boolean): Promise<void> =>
  eventually(async () => {
    if (!(await page.run(isSo, null))) throw new Error(`not so: ${String(isSo)}`);
  }, 20_000);

/** Somebody says something in the chat. */
const say = (node: Node, n: number): Promise<void> =>
  node.api().publish('presence-lobby', 'said', { user: 'bo', said: n });

describe.runIf(whyMissing('chromium') === null)('with Chromium', () => {
  onServerAtOnce('a page with the own client', { tenants: [shop], config }, (node) => {
    let browser: string;
    let examples: Examples;
    const pages: Page[] = [];
    beforeAll(async () => {
      browser = (await engine('chromium')).url;
      examples = await Examples.start(node);
    });
    afterAll(async () => {
      await Promise.all(pages.map((page) => page.close()));
      await examples.stop();
    });

    const open = async (path: string): Promise<Page> => {
      const page = await Page.open(browser, `${examples.url}${path}`);
      pages.push(page);
      return page;
    };
    it('hears every message once, although its network is gone for five seconds', async () => {
      const page = await open('/chat?user=ada');
      await comes(page, () => lobby.state === 'subscribed');
      await page.run(() => {
        Object.assign(globalThis, { heard: [] });
        lobby.bind('said', ({ said }) => heard.push(said));
      }, null);
      for (let n = 0; n < 5; n += 1) await say(node, n);
      await comes(page, () => heard.length === 5);
      await page.network(false);
      for (let n = 5; n < 25; n += 1) await say(node, n);
      await comes(page, () => client.state !== 'connected');
      await new Promise((later) => setTimeout(later, CUT_OFF_MS));
      for (let n = 25; n < 30; n += 1) await say(node, n);
      await page.network(true);
      await comes(page, () => client.state === 'connected' && lobby.state === 'subscribed');
      await say(node, 30);
      await comes(page, () => heard.at(-1) === 30);
      expect(await page.run(() => heard, null)).toEqual(Array.from({ length: 31 }, (_, n) => n));
      expect(await page.run(() => live.list.length, null)).toBe(31);
    });

    it('reads an answer that grows, and goes on with it after a reload in the middle', async () => {
      const page = await open('/ai?user=ada');
      await comes(page, () => room.state === 'subscribed');
      await page.run(async () => {
        const question = { channel: 'ai-room', question: 'why?', pauseMs: 50 };
        await fetch('/ask?user=ada', { method: 'POST', body: JSON.stringify(question) });
      }, null);
      await comes(page, () => String(live.list.at(-1)?.raw).includes(' 5 '));
      await page.reload();
      await comes(page, () => typeof room !== 'undefined' && room.state === 'subscribed');
      await comes(page, () => live.list.at(-1)?.extras.ai?.transport?.['status'] === 'complete');
      const counted = Array.from({ length: 40 }, (_, n) => n + 1).join(' ');
      expect(await page.run(() => live.list.map(({ raw }) => raw), null)).toEqual([
        'why?',
        `You asked: why? Let me count. ${counted}`,
      ]);
    });
  });
});
