import { accepted, retryable } from '@carillon/push-providers';
import { describe, expect, it } from 'vitest';
import { fcmDevice, type Scene } from './scene.js';
import { isOver, toDevice } from './suites/parts.js';
import { publish, sceneWith } from './work.js';

const used = ({ store }: Scene) => store.quotaUsed('shop', new Date().toISOString().slice(0, 10));

const device = (deviceId: string) => ({ type: 'device', deviceId });

describe('the deliveries of a day', () => {
  it('are those that there were, not those that were expected (4.4)', async () => {
    const scene = await sceneWith({ PUSH_DELIVERY_QUOTA_DAILY: '4' });
    await scene.send('POST', '/deviceRegistrations', fcmDevice('a', { clientId: 'ann' }));
    // One device, though two targets name it.
    const both = [device('a'), { type: 'client', clientId: 'ann' }];
    for (const publishId of ['p1', 'p2']) {
      expect((await publish(scene, publishId, both)).body).toMatchObject({ expectedRecipients: 2 });
      expect(await scene.until(publishId, isOver)).toMatchObject({ counters: { planned: 1 } });
    }
    await expect.poll(() => used(scene)).toBe(2);
    // Expired and repeated publishes are no deliveries.
    await publish(scene, 'late', [device('a')], { expiresAtMs: 1 });
    await publish(scene, 'p1', both);
    expect(await used(scene)).toBe(2);
    const many = [device('a'), device('a'), device('a')];
    expect((await publish(scene, 'p3', many)).body).toMatchObject({ status: 'quota_exceeded' });
    expect(await used(scene)).toBe(2);
  });

  it('are given back, once, when a scheduled publish is cancelled', async () => {
    const scene = await sceneWith({ PUSH_DELIVERY_QUOTA_DAILY: '3' });
    await scene.send('POST', '/deviceRegistrations', fcmDevice('a'));
    const later = { notBeforeMs: Date.now() + 60_000 };
    await publish(scene, 'now', [device('a')]);
    for (const publishId of ['later', 'last']) await publish(scene, publishId, [device('a')], later);
    expect(await used(scene)).toBe(3);
    for (const publishId of ['later', 'later'])
      expect((await scene.send('DELETE', `/scheduled/${publishId}`)).status).toBe(204);
    expect(await used(scene)).toBe(2);
  });

  it('are counted where an operator lifts the quota, and do not stop that publish', async () => {
    const scene = await sceneWith({ PUSH_DELIVERY_QUOTA_DAILY: '1' });
    await scene.send('POST', '/deviceRegistrations', fcmDevice('a'));
    const lifted = { 'x-service-push-quota-override': '1' };
    for (const publishId of ['p1', 'p2']) {
      const answer = await scene.send('POST', '/publish', toDevice(publishId, 'a'), lifted);
      expect(answer.body).toMatchObject({ status: 'accepted' });
    }
    expect(await used(scene)).toBe(2);
    expect((await publish(scene, 'p3', [device('a')])).body).toMatchObject({ status: 'quota_exceeded' });
  });
});

it('a notification counts once for the rate of its device, however often it is tried', async () => {
  const scene = await sceneWith({});
  const pushRatePolicy = { capacity: 1, refillPerSecond: 1 };
  await scene.send('POST', '/deviceRegistrations', fcmDevice('a', { pushRatePolicy }));
  await scene.send('POST', '/channelSubscriptions', { channel: 'rated', deviceId: 'a' });
  scene.clouds.answer(({ earlier }) =>
    earlier === 0
      ? retryable('unavailable', 'provider_transient', 'down', { deviceOnly: true })
      : accepted('m'),
  );
  await publish(scene, 'p', [{ type: 'channel', channel: 'rated' }]);
  expect(await scene.until('p', isOver)).toMatchObject({
    state: 'succeeded',
    counters: { succeeded: 1, failed: 0, retryAttempted: 1 },
  });
});
