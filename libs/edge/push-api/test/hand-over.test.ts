import { accepted, rejected, retryable } from '@carillon/push-providers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fcmDevice, openScene } from './scene.js';
import { done, publish, sceneWith } from './work.js';

describe('work that is handed over twice, or lost', () => {
  it('is sent once, though a worker died between the claim and the send (51)', async () => {
    const scene = await sceneWith({
      SERVICE_WORKERS_PUSH_STAGES: 'planner,shard,feedback,retry,scheduler,repair,cleanup',
    });
    await scene.send('POST', '/deviceRegistrations', fcmDevice('a'));
    // Nobody dispatches here, so admission has to be told that somebody does.
    await scene.store.beat({
      workerId: 'elsewhere',
      stages: ['dispatch'],
      providers: ['fcm'],
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
      Object.fromEntries(['APNS', 'WEBPUSH', 'HMS', 'WNS'].map((name) => [`PUSH_${name}_ENABLED`, 'false'])),
    );
    const raw = [{ type: 'recipient', recipient: { transportType: 'apns', deviceToken: 'abc' } }];
    expect((await publish(fcmOnly, 'p', raw)).status).toBe(503);
    const own = [{ type: 'recipient', recipient: { transportType: 'gcm', registrationToken: 'abc' } }];
    expect((await publish(fcmOnly, 'p', own)).status).toBe(202);
    expect(await fcmOnly.until('p', done)).toMatchObject({ state: 'succeeded' });
  });

  it('is nothing under backpressure (38)', async () => {
    const scene = await sceneWith({ PUSH_BACKPRESSURE: 'true', PUSH_BACKPRESSURE_RETRY_AFTER_SECONDS: '17' });
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
    const scene = await openScene('memory', 'memory', { FCM_PROVIDER_TOKEN: '' }, '[push]\ndry_run = true\n');
    onTestFinished(() => scene.close());
    await scene.send('POST', '/deviceRegistrations', fcmDevice('a', { lastActiveAtMs: 1 }));
    await publish(scene, 'p', [{ type: 'device', deviceId: 'a' }]);
    expect(await scene.until('p', done)).toMatchObject({ state: 'succeeded' });
    expect(scene.clouds.arrivals).toHaveLength(0);
    expect((await scene.send('GET', '/deviceRegistrations/a')).body['lastActiveAtMs']).toBe(1);
  });
});

describe('credentials', () => {
  it('are not kept without a master key (7)', async () => {
    const scene = await sceneWith({ PUSH_CREDENTIAL_ENCRYPTION_KEY: '' });
    const answer = await scene.send('POST', '/credentials/hms', { hmsAppId: 'a', clientSecret: 's' });
    expect(answer).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
    expect((await scene.send('GET', '/credentials')).body.items).toEqual([]);
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
  });

  it('take effect without a restart', async () => {
    const scene = await sceneWith({});
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
});

describe('a provider that fails', () => {
  it('is left alone, and what waits uses up no attempt (49)', async () => {
    const scene = await sceneWith({ PUSH_FAILURE_THRESHOLD: '1', PUSH_RETRY_MAX_ATTEMPTS: '3' });
    await scene.send('POST', '/deviceRegistrations', fcmDevice('a'));
    await scene.send('POST', '/deviceRegistrations', fcmDevice('b'));
    scene.clouds.answer(() => retryable('unavailable', 'provider_transient', 'unavailable'));
    await publish(scene, 'p1', [{ type: 'device', deviceId: 'a' }]);
    await expect.poll(() => scene.clouds.arrivals.length).toBe(1);
    await publish(scene, 'p2', [{ type: 'device', deviceId: 'b' }]);
    const status = await scene.until('p2', ({ state }) => state === 'throttled');
    expect(status['retryAfterMs']).toBeGreaterThan(Date.now() + 30_000);
    expect(scene.clouds.arrivals).toHaveLength(1);
  });
});
