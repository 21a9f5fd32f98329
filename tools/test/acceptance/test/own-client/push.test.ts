import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engine, whyMissing } from '@carillon/test-backends';
import { generateVapidKeys, type VapidKeys } from '@carillon/push-providers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Page } from '../clients/page.js';
import { onServer } from '../harness/every-app.js';
import { eventually } from '../harness/eventually.js';
import { openTenant } from '../harness/tenant.js';
import { Examples } from './examples.js';
import { signing } from './people.js';

/** What the page offers. */
declare const heard: string[];

interface Subscription {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

/** Runs in the page: the browser's own push service cannot be reached, so the stand-in's subscription is its answer. */
function subscribeWith({ endpoint, ...keys }: { endpoint: string; p256dh: number[]; auth: number[] }): void {
  const getKey = (name: 'auth' | 'p256dh'): ArrayBuffer => Uint8Array.from(keys[name]).buffer;
  PushManager.prototype.subscribe = async () => ({ endpoint, getKey }) as unknown as PushSubscription;
}

const bytesOf = (base64url: string): number[] => [...Buffer.from(base64url, 'base64url')];

const missing = whyMissing('chromium') ?? whyMissing('push-clouds');

describe.runIf(missing === null)('with Chromium and a stand-in for its cloud', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-push-'));
  const certificate = join(folder, 'authority.pem');
  const env = {
    PUSH_ALLOW_MEMORY_DRIVERS: 'true',
    PUSH_WEBPUSH_ENABLED: 'true',
    PUSH_ALLOW_LOCAL_WEB_PUSH_ENDPOINTS: 'true',
    PUSH_CREDENTIAL_ENCRYPTION_KEY: 'a master key of the acceptance tests',
    NODE_EXTRA_CA_CERTS: certificate,
  };
  const room = `r${randomBytes(6).toString('hex')}`;
  const say = async (command: object): Promise<unknown> => {
    const { url } = await engine('push-clouds');
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify({ room, ...command }) });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  };
  beforeAll(async () => {
    const { authority } = (await say({ do: 'about' })) as { authority: string };
    writeFileSync(certificate, authority);
    await say({ do: 'make' });
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  onServer('a page', { tenants: [openTenant('shop')], env }, (node) => {
    let keys: VapidKeys;
    let examples: Examples;
    let page: Page;
    beforeAll(async () => {
      const api = signing(node);
      keys = await generateVapidKeys();
      const body = { ...keys, subject: 'mailto:ops@shop.example' };
      await api({ method: 'POST', path: '/push/credentials/webpush', body });
      examples = await Examples.start(node, keys.publicKey);
      page = await Page.open((await engine('chromium')).url, `${examples.url}/push?user=ada`);
    });
    afterAll(async () => {
      await page.close();
      await examples.stop();
    });

    it('is notified of what is published to its channel', async () => {
      await page.tell('Browser.grantPermissions', { origin: examples.url, permissions: ['notifications'] });
      await page.tell('ServiceWorker.enable', {});
      const wanted = { do: 'subscribe', token: 'browser', applicationServerKey: keys.publicKey };
      const { endpoint, p256dh, auth } = (await say(wanted)) as Subscription;
      await page.run(subscribeWith, { endpoint, p256dh: bytesOf(p256dh), auth: bytesOf(auth) });
      await page.run(() => document.querySelector<HTMLButtonElement>('#on')?.click(), null);
      await eventually(async () => {
        expect(await page.run(() => document.querySelector('#device')?.textContent, null)).toMatch(
          /^This browser is the device [0-9a-f]{32}$/,
        );
      });
      const devices = await signing(node)({ method: 'GET', path: '/push/channelSubscriptions' });
      expect(devices).toMatchObject({ items: [{ channel: 'offers', clientId: 'ada', provider: 'webPush' }] });
      await page.run(() => document.querySelector<HTMLButtonElement>('#test')?.click(), null);
      const arrived = await eventually(async () => {
        const { arrived } = (await say({ do: 'arrived', cloud: 'webpush' })) as {
          arrived: { body: string }[];
        };
        expect(arrived).toHaveLength(1);
        return arrived;
      });
      const told = page.told.get('ServiceWorker.workerRegistrationUpdated') as {
        registrations: { registrationId: string; scopeURL: string }[];
      };
      const { registrationId } =
        told.registrations.find(({ scopeURL }) => scopeURL.startsWith(examples.url)) ?? {};
      const data = arrived[0]?.body;
      await page.tell('ServiceWorker.deliverPushMessage', { origin: examples.url, registrationId, data });
      await eventually(async () => {
        expect(await page.run(() => heard, null)).toEqual(['An offer']);
      });
    });
  });
});
