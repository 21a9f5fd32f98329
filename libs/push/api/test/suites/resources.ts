import { accepted, generateVapidKeys, retryable } from '@carillon/push-providers';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { fcmDevice, type Scene } from '../scene.js';
import { held, isOver, toDevice } from './parts.js';

const template = (title: string) => ({
  templateId: 'c34',
  defaultLocale: 'en',
  locales: { en: { title, body: 'b' } },
});

/** Stored resources and their representations. */
export function resources(open: () => Scene): void {
  let scene: Scene;
  let sent: Scene['send'];
  beforeAll(() => {
    scene = open();
    sent = scene.send;
  });
  beforeEach(() => scene.clouds.answer(() => accepted('m')));

  const register = (id: string, more = {}) => sent('POST', '/deviceRegistrations', fcmDevice(id, more));
  const titlesFor = (id: string): unknown[] =>
    scene.clouds.arrivals
      .filter(({ target }) => JSON.stringify(target).includes(`"secret-token-of-${id}"`))
      .map(({ payload }) => (payload['message'] as { notification: { title: string } }).notification.title);

  it('pages subscriptions of channels whose names begin alike, each once (6)', async () => {
    for (const id of ['c6-one', 'c6-two']) {
      await register(id);
      for (const channel of ['a:1', 'a:11']) {
        // Written to the store directly: the namespaces of the app do not matter here.
        await scene.store.putSubscription({
          appId: 'shop',
          channel,
          deviceId: id,
          clientId: null,
          provider: 'fcm',
          tokenHash: id,
          credentialVersion: null,
          updatedMs: 1,
        });
      }
    }
    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const page = await sent(
        'GET',
        `/channelSubscriptions?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      seen.push(...page.body.items.map(({ channel, deviceId }) => `${String(channel)} ${String(deviceId)}`));
      if (page.body['has_more'] !== true || seen.length > 1000) break;
      cursor = String(page.body['next_cursor']);
    }
    expect(seen.filter((one) => one.includes(' c6-'))).toEqual([
      'a:1 c6-one',
      'a:1 c6-two',
      'a:11 c6-one',
      'a:11 c6-two',
    ]);
  });

  it('refuses a credential whose keys do not belong together (9)', async () => {
    const { publicKey, privateKey } = await generateVapidKeys();
    const put = (key: string) => sent('POST', '/credentials/webpush', { publicKey, privateKey: key });
    expect((await put((await generateVapidKeys()).privateKey)).status).toBe(400);
    expect((await put(privateKey)).status).toBe(201);
  });

  it('takes a device that says no more than it must, and ignores whose app it says it is of (19)', async () => {
    const { body } = await register('c19', { appId: 'bank', deviceSecret: 'never kept' });
    expect(body).toMatchObject({ change: 'inserted', device: { appId: 'shop', pushState: 'ACTIVE' } });
    expect((await register('c19')).body).toMatchObject({ change: 'unchanged' });
    expect(JSON.stringify(await scene.store.device('shop', 'c19'))).not.toContain('never kept');
  });

  it('knows a device under either name of its id (26)', async () => {
    await register('c26');
    for (const name of ['device_id', 'deviceId']) {
      const recipients = [{ type: 'device', [name]: 'c26' }];
      await sent('POST', '/publish', { ...toDevice(`p26-${name}`, ''), recipients });
      expect(await scene.until(`p26-${name}`, isOver)).toMatchObject({ state: 'succeeded' });
    }
    expect(titlesFor('c26')).toHaveLength(2);
  });

  it('ends a publish whose device was removed meanwhile, and sends nothing (33)', async () => {
    await register('c33');
    const letGo = held(scene);
    await sent('POST', '/publish', toDevice('p33', 'c33'));
    expect((await sent('DELETE', '/deviceRegistrations/c33')).status).toBe(204);
    await letGo();
    expect(await scene.until('p33', isOver)).toMatchObject({
      state: 'succeeded',
      counters: { planned: 0, dispatched: 0 },
    });
    expect(titlesFor('c33')).toEqual([]);
  });

  it('sends the text of the template as it was accepted, when it tries again too (34)', async () => {
    await register('c34');
    await sent('POST', '/templates', template('as accepted'));
    scene.clouds.answer(async ({ earlier }) => {
      if (earlier > 0) return accepted('m');
      await sent('POST', '/templates', template('edited since'));
      return retryable('unavailable', 'provider_transient', 'down');
    });
    await sent('POST', '/publish', toDevice('p34', 'c34', { payload: { templateId: 'c34' } }));
    expect(await scene.until('p34', isOver)).toMatchObject({ state: 'succeeded' });
    expect(titlesFor('c34')).toEqual(['as accepted', 'as accepted']);
  });

  it.each([
    [[{ provider: 'apns', payload: { headers: { 'apns-push-type': 'foo' }, aps: {} } }]],
    [[{ provider: 'webPush', payload: { headers: { urgency: 'max' } } }]],
    [
      [
        { provider: 'fcm', payload: { message: {} } },
        { provider: 'fcm', payload: { message: {} } },
      ],
    ],
  ])('refuses the overrides %j (35)', async (providerOverrides) => {
    const answer = await sent('POST', '/publish', toDevice('p35', 'nobody', { providerOverrides }));
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
    expect((await sent('GET', '/publish/p35/status')).status).toBe(404);
  });

  it('sends nothing that expired before its time came (44)', async () => {
    await register('c44');
    const letGo = held(scene);
    const notBeforeMs = Date.now() + 200;
    await sent(
      'POST',
      '/publish',
      toDevice('p44-late', 'c44', { notBeforeMs, expiresAtMs: notBeforeMs + 1 }),
    );
    await expect.poll(() => Date.now()).toBeGreaterThan(notBeforeMs + 1);
    await letGo();
    expect(await scene.until('p44-late', isOver)).toMatchObject({ state: 'expired' });
    expect(titlesFor('c44')).toEqual([]);
  });
}
