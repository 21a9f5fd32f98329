import { createECDH, randomBytes } from 'node:crypto';
import { accepted, generateVapidKeys, rejected } from '@carillon/push-providers';
import { Sealer } from '@carillon/push-store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fcmDevice, openScene } from './scene.js';
import { overPlaces, sceneWith } from './work.js';
import { isOver, toDevice } from './suites/parts.js';

const browserAt = (endpoint: string) => {
  const p256dh = createECDH('prime256v1').generateKeys('base64url');
  const recipient = { transportType: 'web', endpoint, p256dh, auth: randomBytes(16).toString('base64url') };
  return { formFactor: 'desktop', platform: 'browser', push: { recipient } };
};

describe('the hosts that browsers may be reached at', () => {
  it('are those of the list and below them, and no others that only end alike (21)', async () => {
    const { send } = await sceneWith({ PUSH_WEBPUSH_ALLOWED_HOSTS: '.push.example' });
    const register = async (endpoint: string) =>
      (await send('POST', '/deviceRegistrations', fcmDevice('c21', browserAt(endpoint)))).status;
    expect(await register('https://x.push.example/1')).toBe(201);
    expect(await register('https://push.example/1')).toBe(201);
    expect(await register('https://evilpush.example/1')).toBe(400);
  });

  it('are looked up when something is sent, and not connected to where they lead inside (22)', async () => {
    const asked: string[] = [];
    const resolve = async (hostname: string) => {
      asked.push(hostname);
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const { privateKey } = await generateVapidKeys();
    const env = { VAPID_PRIVATE_KEY: privateKey, VAPID_CONTACT: 'mailto:a@b.example' };
    const scene = await openScene('memory', 'memory', env, '', { resolve });
    onTestFinished(() => scene.close());
    const device = fcmDevice('c22', browserAt('https://turncoat.example/x'));
    expect((await scene.send('POST', '/deviceRegistrations', device)).status).toBe(201);
    expect(asked).toEqual([]);
    await scene.send('POST', '/publish', toDevice('p22', 'c22'));
    expect(await scene.until('p22', isOver)).toMatchObject({ state: 'failed', counters: { failed: 1 } });
    expect(asked).toEqual(['turncoat.example']);
    const [letter] = (await scene.send('GET', '/deadLetters')).body.items;
    expect(letter).toMatchObject({ provider: 'webPush', reason: 'provider_rejected', replayable: false });
    expect((await scene.send('GET', '/deviceRegistrations/c22')).body).toMatchObject({ pushState: 'ACTIVE' });
  });
});

overPlaces((sceneWith) => {
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
    });
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
});
