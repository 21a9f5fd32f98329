import { once } from 'node:events';
import { accepted, rejected, retryable } from '@carillon/push-providers';
import { describe, expect, it } from 'vitest';
import { fcmDevice } from './scene.js';
import { done, overPlaces, publish, sceneWith as sceneInMemory } from './work.js';

const isThrottled = ({ state }: Readonly<Record<string, unknown>>) => state === 'throttled';

overPlaces((sceneWith) => {
  describe('work that is handed over twice, or lost', () => {
    it('is sent once, though a worker died between the claim and the send (51)', async () => {
      const scene = await sceneWith({
        SERVICE_WORKERS_PUSH_STAGES: 'planner,shard,feedback,retry,scheduler,repair,cleanup',
      });
      await scene.send('POST', '/deviceRegistrations', fcmDevice('a'));
      // No dispatcher runs in this test, so admission needs a heartbeat of one.
      await scene.store.beat({
        workerId: 'elsewhere',
        stages: ['dispatch'],
        providers: ['fcm'],
        credentials: [],
        expiresMs: Date.now() + 60_000,
      });
      await publish(scene, 'p', [{ type: 'device', deviceId: 'a' }]);
      await scene.until('p', ({ state }) => state === 'dispatching');
      const [claim] = await scene.store.openClaims('shop', 'p', null, 10);
      const jobs = [{ deliveryKey: claim?.deliveryKey ?? '', attempt: 1 }];
      const nowMs = Date.now();
      const take = (owner: string, at: number) =>
        scene.store.takeForSending('shop', 'p', jobs, { owner, nowMs: at, untilMs: at + 60_000 });
      expect((await take('dead', nowMs)).size).toBe(1);
      expect((await take('other', nowMs + 59_999)).size).toBe(0);
      expect((await take('other', nowMs + 60_000)).size).toBe(1);
      expect((await take('dead', nowMs + 60_001)).size).toBe(0);
    });

    it('counts once, though its result comes twice (50)', async () => {
      const scene = await sceneWith({});
      await scene.send('POST', '/deviceRegistrations', fcmDevice('a'));
      const enqueue = scene.queue.enqueueBatch.bind(scene.queue);
      scene.queue.enqueueBatch = async (queue, jobs) => {
        const ids = await enqueue(queue, jobs);
        if (queue === 'push.results.v1' || queue === 'push.delivery.fcm.v1') {
          await enqueue(
            queue,
            jobs.map((job) => ({ ...job, jobId: `again ${job.jobId ?? ''}` })),
          );
        }
        return ids;
      };
      await publish(scene, 'p', [{ type: 'device', deviceId: 'a' }]);
      const { counters } = await scene.until('p', done);
      await expect
        .poll(async () => (await scene.queue.stats('push.results.v1')).completed)
        .toBeGreaterThanOrEqual(2);
      expect(counters).toMatchObject({ planned: 1, dispatched: 1, succeeded: 1 });
      expect(scene.clouds.arrivals).toHaveLength(1);
      expect((await scene.send('GET', '/publish/p/status')).body['counters']).toEqual(counters);
    });
  });

  describe('what is accepted', () => {
    it('is nothing while push is disabled, or its provider is (37)', async () => {
      const off = await sceneWith(
        Object.fromEntries(
          ['FCM', 'APNS', 'WEBPUSH', 'HMS', 'WNS'].map((name) => [`PUSH_${name}_ENABLED`, 'false']),
        ),
      );
      const answer = await publish(off, 'p', [{ type: 'device', deviceId: 'd' }]);
      expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
      expect(answer.body['error']).toMatch(/^push admission unavailable: push providers are disabled/);
      const fcmOnly = await sceneWith(
        Object.fromEntries(
          ['APNS', 'WEBPUSH', 'HMS', 'WNS'].map((name) => [`PUSH_${name}_ENABLED`, 'false']),
        ),
      );
      const raw = [{ type: 'recipient', recipient: { transportType: 'apns', deviceToken: 'abc' } }];
      expect((await publish(fcmOnly, 'p', raw)).status).toBe(503);
      const own = [{ type: 'recipient', recipient: { transportType: 'gcm', registrationToken: 'abc' } }];
      expect((await publish(fcmOnly, 'p', own)).status).toBe(202);
      expect(await fcmOnly.until('p', done)).toMatchObject({ state: 'succeeded' });
    });

    it('is nothing under backpressure (38)', async () => {
      const scene = await sceneWith({
        PUSH_BACKPRESSURE: 'true',
        PUSH_BACKPRESSURE_RETRY_AFTER_SECONDS: '17',
      });
      const answer = await publish(scene, 'p', [{ type: 'device', deviceId: 'd' }]);
      expect(answer).toMatchObject({
        status: 429,
        headers: { 'retry-after': '17' },
        body: { code: 'rate_limited' },
      });
    });

    it('is so much a second (40), and so much at once (41)', async () => {
      const scene = await sceneWith({
        PUSH_DEFAULT_ACCEPTANCE_RPS: '1',
        PUSH_DEFAULT_FANOUT_MAX: '1',
        RATE_LIMITER_ENABLED: 'true',
      });
      await scene.send('POST', '/deviceRegistrations', fcmDevice('a'));
      await scene.send('POST', '/deviceRegistrations', fcmDevice('b'));
      const both = [
        { type: 'device', deviceId: 'a' },
        { type: 'device', deviceId: 'b' },
      ];
      expect((await publish(scene, 'p1', both)).body).toMatchObject({ status: 'quota_exceeded' });
      expect((await scene.send('GET', '/publish/p1/status')).body).toMatchObject({
        state: 'quota_exceeded',
        errorReason: expect.any(String),
      });
      expect(await scene.store.log('shop', 'p1')).toBeNull();
      expect(await scene.queue.stats('push.publish.v1')).toMatchObject({ ready: 0, active: 0, completed: 0 });
      const second = await publish(scene, 'p2', both);
      expect(second.status).toBe(429);
      expect(Number(second.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(scene.clouds.arrivals).toHaveLength(0);
    });

    it('may be more where an operator says so (41)', async () => {
      const scene = await sceneWith({ PUSH_DEFAULT_FANOUT_MAX: '1' });
      for (const id of ['a', 'b']) await scene.send('POST', '/deviceRegistrations', fcmDevice(id));
      const body = {
        publishId: 'p',
        recipients: [
          { type: 'device', deviceId: 'a' },
          { type: 'device', deviceId: 'b' },
        ],
        payload: { title: 'Hi' },
      };
      await scene.send('POST', '/publish', body, { 'x-service-push-quota-override': '1' });
      expect(await scene.until('p', done)).toMatchObject({ state: 'succeeded' });
    });

    it('reaches nobody in a dry run (58)', async () => {
      const scene = await sceneWith({ FCM_PROVIDER_TOKEN: '' }, '[push]\ndry_run = true\n');
      const told: string[] = [];
      const enqueue = scene.queue.enqueueBatch.bind(scene.queue);
      scene.queue.enqueueBatch = async (queue, jobs) => {
        if (queue === 'push.results.v1') told.push(...jobs.map(({ data }) => data));
        return enqueue(queue, jobs);
      };
      await scene.send('POST', '/deviceRegistrations', fcmDevice('a', { lastActiveAtMs: 1 }));
      await publish(scene, 'p', [{ type: 'device', deviceId: 'a' }]);
      expect(await scene.until('p', done)).toMatchObject({ state: 'succeeded' });
      expect(scene.clouds.arrivals).toHaveLength(0);
      expect((await scene.send('GET', '/deviceRegistrations/a')).body['lastActiveAtMs']).toBe(1);
      expect(told.join('')).toMatch(/"providerMessageId":"dry-run:[0-9a-f]{16}"/);
    });
  });

  describe('credentials', () => {
    it('are not kept without a master key (7)', async () => {
      const scene = await sceneWith({ PUSH_CREDENTIAL_ENCRYPTION_KEY: '' });
      const answer = await scene.send('POST', '/credentials/hms', { hmsAppId: 'a', clientSecret: 's' });
      expect(answer).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
      expect((await scene.send('GET', '/credentials')).body.items).toEqual([]);
    });

    it('are ready where only a process elsewhere that sends has them (4.2)', async () => {
      const raw = [{ type: 'recipient', recipient: { transportType: 'hms', registrationToken: 't' } }];
      for (const credentials of [[], ['hms']]) {
        const scene = await sceneWith({});
        const elsewhere = { workerId: 'elsewhere', stages: ['dispatch'], providers: ['hms'], credentials };
        await scene.store.beat({ ...elsewhere, expiresMs: Date.now() + 60_000 });
        expect(await publish(scene, 'raw', raw)).toMatchObject({
          status: credentials.length > 0 ? 202 : 503,
        });
      }
    });

    it('that were copied to another row do not open (10)', async () => {
      const scene = await sceneWith({});
      await scene.send('POST', '/credentials/hms', { hmsAppId: 'a', clientSecret: 's', credentialId: 'one' });
      const row = await scene.store.credential('shop', 'one');
      if (row === null) throw new Error('not stored');
      await scene.store.putCredential({ ...row, credentialId: 'hms' }, null, null);
      const hms = { recipient: { transportType: 'hms', registrationToken: 't' } };
      await scene.send('POST', '/deviceRegistrations', fcmDevice('h', { push: hms }));
      await publish(scene, 'p', [{ type: 'device', deviceId: 'h' }]);
      expect(await scene.until('p', done)).toMatchObject({ state: 'failed' });
      expect(scene.clouds.arrivals).toHaveLength(0);
      const [letter] = (await scene.send('GET', '/deadLetters')).body.items;
      expect(letter).toMatchObject({ provider: 'hms', reason: 'auth_failure', replayable: true });
      const raw = [{ type: 'recipient', recipient: hms.recipient }];
      const answer = await publish(scene, 'raw', raw);
      expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
      expect(answer.body['error']).toMatch(/credentials are not ready/);
    });
  });

  describe('a provider that fails', () => {
    it('is left alone after five batches, and what waits uses up no attempt (49)', async () => {
      const scene = await sceneWith({ PUSH_RETRY_MAX_ATTEMPTS: '6' });
      for (const id of ['a', 'b']) await scene.send('POST', '/deviceRegistrations', fcmDevice(id));
      scene.clouds.answer(() => retryable('unavailable', 'provider_transient', 'unavailable'));
      await publish(scene, 'p1', [{ type: 'device', deviceId: 'a' }]);
      await expect.poll(() => scene.clouds.arrivals.length, { timeout: 10_000 }).toBe(5);
      const enqueue = scene.queue.enqueueBatch.bind(scene.queue);
      scene.queue.enqueueBatch = async (queue, jobs) => {
        const enqueued = await enqueue(queue, jobs);
        // It is held back before its planning has come to an end.
        if (queue === 'push.delivery.fcm.v1') await scene.until('p2', isThrottled);
        return enqueued;
      };
      await publish(scene, 'p2', [{ type: 'device', deviceId: 'b' }]);
      await expect
        .poll(async () => scene.store.publish('shop', 'p2'), { timeout: 10_000 })
        .toMatchObject({ planningComplete: true, state: 'throttled', retryAfterMs: expect.any(Number) });
      expect(await scene.store.openClaims('shop', 'p2', null, 9)).toMatchObject([
        { state: 'planned', attempt: 1 },
      ]);
      expect(scene.clouds.arrivals).toHaveLength(5);
    });
  });
});

it('few ask whether a provider is back, and then all go (49)', async () => {
  const env = { PUSH_RETRY_MAX_ATTEMPTS: '6' };
  const scene = await sceneInMemory(env, 'memory', 'memory', '[push.circuit_breaker]\ncooldown_secs = 2\n');
  const ids = Array.from({ length: 20 }, (_, index) => `d${index}`);
  for (const id of ids) {
    await scene.send('POST', '/deviceRegistrations', fcmDevice(id));
    await scene.send('POST', '/channelSubscriptions', { channel: 'many', deviceId: id });
  }
  const at: number[] = [];
  const back = new AbortController();
  scene.clouds.answer(async () => {
    at.push(Date.now());
    if (at.length <= 5) return retryable('unavailable', 'provider_transient', 'unavailable');
    if (!back.signal.aborted) await once(back.signal, 'abort');
    return accepted('m');
  });
  await publish(scene, 'p1', [{ type: 'device', deviceId: 'd0' }]);
  await expect.poll(() => at.length).toBeGreaterThanOrEqual(5);
  await publish(scene, 'p2', [{ type: 'channel', channel: 'many' }]);
  await expect.poll(() => at.length, { timeout: 20_000 }).toBe(5 + 10);
  expect((at[5] ?? 0) - (at[4] ?? 0)).toBeGreaterThanOrEqual(2000);
  expect(await scene.store.openClaims('shop', 'p2', null, 100)).toHaveLength(20);
  back.abort();
  for (const [publishId, succeeded] of Object.entries({ p1: 1, p2: 20 }))
    expect(await scene.until(publishId, done)).toMatchObject({
      state: 'succeeded',
      counters: { succeeded },
    });
  expect(at).toHaveLength(5 + 20 + 1);
});

it('credentials take effect without a restart', async () => {
  const scene = await sceneInMemory({});
  scene.clouds.answer(({ credential }) =>
    credential.provider === 'hms' &&
    credential.access.kind === 'secret' &&
    credential.access.clientSecret === 'right'
      ? accepted('m')
      : rejected('auth_failure', 'credential_auth', 'wrong'),
  );
  const hms = { recipient: { transportType: 'hms', registrationToken: 't' } };
  await scene.send('POST', '/deviceRegistrations', fcmDevice('h', { push: hms }));
  const put = (clientSecret: string) =>
    scene.send('POST', '/credentials/hms', { hmsAppId: 'a', clientSecret });
  expect((await put('wrong')).body).toMatchObject({ version: 1 });
  await publish(scene, 'p1', [{ type: 'device', deviceId: 'h' }]);
  expect(await scene.until('p1', done)).toMatchObject({ state: 'failed' });
  expect((await put('right')).body).toMatchObject({ version: 2 });
  await expect
    .poll(
      async () => {
        const id = `p${Date.now()}`;
        await publish(scene, id, [{ type: 'device', deviceId: 'h' }]);
        return (await scene.until(id, done))['state'];
      },
      { timeout: 15_000, interval: 2600 },
    )
    .toBe('succeeded');
}, 25_000);

it('credentials whose file is missing are not ready, and harm nothing else', async () => {
  const scene = await sceneInMemory({ FCM_SERVICE_ACCOUNT_JSON_PATH: '/nowhere/account.json' });
  const apns = { recipient: { transportType: 'apns', deviceToken: 'abc' } };
  await scene.send('POST', '/deviceRegistrations', fcmDevice('a'));
  await scene.send('POST', '/deviceRegistrations', fcmDevice('b', { push: apns }));
  await publish(scene, 'p', [
    { type: 'device', deviceId: 'a' },
    { type: 'device', deviceId: 'b' },
  ]);
  expect(await scene.until('p', done)).toMatchObject({
    state: 'partiallySucceeded',
    counters: { failed: 1, succeeded: 1 },
  });
  const [letter] = (await scene.send('GET', '/deadLetters')).body.items;
  expect(letter).toMatchObject({ provider: 'fcm', reason: 'auth_failure', replayable: true });
  expect(scene.logged().match(/fixed token/g)).toHaveLength(1);
});
