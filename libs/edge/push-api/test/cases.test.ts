import { createECDH, randomBytes } from 'node:crypto';
import { rejected, retryable, accepted } from '@carillon/push-providers';
import { Sealer } from '@carillon/push-store';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { fcmDevice, openScene, type Scene } from './scene.js';

const isOver = ({ state }: Readonly<Record<string, unknown>>) =>
  !['queued', 'planning', 'dispatching', 'throttled'].includes(String(state));

async function sceneWith(env: Record<string, string>) {
  const scene = await openScene('memory', 'memory', env);
  onTestFinished(() => scene.close());
  return scene;
}

const toDevice = (publishId: string, deviceId: string, more: object = {}) => ({
  publishId,
  recipients: [{ type: 'device', deviceId }],
  payload: { title: 'Hi', body: 'There' },
  ...more,
});

const browserAt = (endpoint: string) => {
  const p256dh = createECDH('prime256v1').generateKeys('base64url');
  const recipient = { transportType: 'web', endpoint, p256dh, auth: randomBytes(16).toString('base64url') };
  return { formFactor: 'desktop', platform: 'browser', push: { recipient } };
};

const template = (title: string) => ({
  templateId: 'c34',
  defaultLocale: 'en',
  locales: { en: { title, body: 'b' } },
});

/** Keeps accepted publishes from the planner until they are let go. */
function held({ queue }: Scene): () => Promise<void> {
  const enqueue = queue.enqueueBatch.bind(queue);
  const kept: Parameters<typeof enqueue>[] = [];
  queue.enqueueBatch = async (name, jobs) => {
    if (name !== 'push.publish.v1') return enqueue(name, jobs);
    kept.push([name, jobs]);
    return jobs.map(() => 'held');
  };
  return async () => {
    queue.enqueueBatch = enqueue;
    for (const one of kept) await enqueue(...one);
  };
}

describe('push', () => {
  let scene: Scene;
  let sent: Scene['send'];
  beforeAll(async () => {
    scene = await openScene();
    sent = scene.send;
  });
  afterAll(() => scene.close());

  const register = (id: string, more = {}) => sent('POST', '/deviceRegistrations', fcmDevice(id, more));
  const titlesFor = (id: string): unknown[] =>
    scene.clouds.arrivals
      .filter(({ target }) => JSON.stringify(target).includes(`"secret-token-of-${id}"`))
      .map(({ payload }) => (payload['message'] as { notification: { title: string } }).notification.title);

  it('pages subscriptions of channels whose names begin alike, each once (6)', async () => {
    for (const id of ['c6-one', 'c6-two']) {
      await register(id);
      for (const channel of ['a:1', 'a:11']) {
        // Through the store: which namespaces an app has is not what this is about.
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
      if (page.body['has_more'] !== true || seen.length > 10) break;
      cursor = String(page.body['next_cursor']);
    }
    expect(seen).toEqual(['a:1 c6-one', 'a:1 c6-two', 'a:11 c6-one', 'a:11 c6-two']);
  });

  it('refuses a credential whose keys do not belong together (9)', async () => {
    const [one, other] = [createECDH('prime256v1'), createECDH('prime256v1')];
    other.generateKeys();
    const publicKey = one.generateKeys('base64url');
    const put = (privateKey: string) => sent('POST', '/credentials/webpush', { publicKey, privateKey });
    expect((await put(other.getPrivateKey('base64url'))).status).toBe(400);
    expect((await put(one.getPrivateKey('base64url'))).status).toBe(201);
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
    await sent('POST', '/publish', toDevice('p44', 'c44', { notBeforeMs, expiresAtMs: notBeforeMs + 1 }));
    await expect.poll(() => Date.now()).toBeGreaterThan(notBeforeMs + 1);
    await letGo();
    expect(await scene.until('p44', isOver)).toMatchObject({ state: 'expired' });
    expect(titlesFor('c44')).toEqual([]);
  });
});

describe('the hosts that browsers may be reached at', () => {
  it('are those of the list and below them, and no others that only end alike (21)', async () => {
    const { send } = await sceneWith({ PUSH_WEBPUSH_ALLOWED_HOSTS: '.push.example' });
    const register = async (endpoint: string) =>
      (await send('POST', '/deviceRegistrations', fcmDevice('c21', browserAt(endpoint)))).status;
    expect(await register('https://x.push.example/1')).toBe(201);
    expect(await register('https://push.example/1')).toBe(201);
    expect(await register('https://evilpush.example/1')).toBe(400);
  });
});

describe('a new master key', () => {
  it('opens what the one before it sealed, and cleanup seals that anew (11)', async () => {
    const scene = await sceneWith({
      PUSH_CREDENTIAL_ENCRYPTION_KEY: 'the new one',
      PUSH_CREDENTIAL_ENCRYPTION_KEY_PREVIOUS: 'an even older one,the old one',
      PUSH_CLEANUP_INTERVAL_SECS: '1',
    });
    const [was, is] = [new Sealer('the old one'), new Sealer('the new one', ['the old one'])];
    const place = ['shop', 'hms', 'hms', 1, 'clientSecret'];
    await scene.store.putCredential(
      {
        appId: 'shop',
        credentialId: 'hms',
        provider: 'hms',
        version: 1,
        openFields: { hmsAppId: 'a' },
        sealedFields: { clientSecret: was.seal('of old', place) },
        createdMs: 1,
        updatedMs: 1,
      },
      null,
      null,
    );
    const used: unknown[] = [];
    scene.clouds.answer(({ credential }) => {
      used.push(credential.provider === 'hms' ? credential.access : null);
      return accepted('m');
    });
    const push = { recipient: { transportType: 'hms', registrationToken: 't' } };
    await scene.send('POST', '/deviceRegistrations', fcmDevice('c11', { push }));
    await scene.send('POST', '/publish', toDevice('p11', 'c11'));
    expect(await scene.until('p11', isOver)).toMatchObject({ state: 'succeeded' });
    expect(used).toEqual([{ kind: 'secret', clientSecret: 'of old' }]);
    const sealed = async () => (await scene.store.credential('shop', 'hms'))?.sealedFields['clientSecret'];
    await expect.poll(async () => is.isOld((await sealed()) ?? ''), { timeout: 10_000 }).toBe(false);
    expect(is.open((await sealed()) ?? '', place)).toBe('of old');
  }, 20_000);
});

describe('work that waits too long', () => {
  const LIMITS = { PUSH_PUBLISH_LOG_MAX_LAG: '7', PUSH_BACKPRESSURE_LAG_THRESHOLD_SECS: '60' };

  it.each([
    ['publish_log lag', 'push.publish.v1', { ready: 7, oldestReadyAgeMs: 0 }],
    ['shard_jobs age', 'push.shards.v1', { ready: 1, oldestReadyAgeMs: 60_000 }],
    ['delivery_jobs_fcm age', 'push.delivery.fcm.v1', { ready: 1, oldestReadyAgeMs: 60_000 }],
    ['delivery_results age', 'push.results.v1', { ready: 0, active: 1, oldestActiveAgeMs: 60_000 }],
  ])('refuses publishes: %s (39)', async (text, queue, waiting) => {
    const scene = await sceneWith(LIMITS);
    const stats = scene.queue.stats.bind(scene.queue);
    scene.queue.stats = async (name) => ({ ...(await stats(name)), ...(name === queue ? waiting : {}) });
    const answer = await scene.send('POST', '/publish', toDevice('p', 'nobody'));
    expect(answer).toMatchObject({ status: 429, body: { error: `push ${text} exceeded` } });
    expect(answer.headers['retry-after']).toBe('5');
  });

  it('is not what a dead letter is, however old (39)', async () => {
    const scene = await sceneWith(LIMITS);
    scene.clouds.answer(() => rejected('provider_rejected', 'unknown', 'no'));
    await scene.send('POST', '/deviceRegistrations', fcmDevice('c39'));
    await scene.send('POST', '/publish', toDevice('first', 'c39'));
    await scene.until('first', isOver);
    const [letter] = (await scene.send('GET', '/deadLetters')).body.items;
    const row = await scene.store.deadLetter('shop', String(letter?.['deadLetterId']));
    if (row === null) throw new Error('there is no dead letter');
    await scene.store.putDeadLetter({ ...row, deadLetterId: 'old', occurredMs: 1 });
    expect((await scene.send('POST', '/publish', toDevice('next', 'c39'))).status).toBe(202);
  });
});
