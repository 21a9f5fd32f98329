import { accepted, retryable } from '@carillon/push-providers';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { fcmDevice, type Scene } from '../scene.js';
import { isOver, toDevice } from './parts.js';

const LONG_AGO_MS = 700_000;

/** The next items that would go into that queue are lost. */
function losing({ queue }: Scene, name: string): void {
  const enqueue = queue.enqueueBatch.bind(queue);
  queue.enqueueBatch = async (into, jobs) => {
    if (into !== name) return enqueue(into, jobs);
    queue.enqueueBatch = enqueue;
    return jobs.map(() => 'lost');
  };
}

/** Resolves with the first item enqueued into that queue. */
function nextInto({ queue }: Scene, name: string): Promise<Readonly<Record<string, unknown>>> {
  const enqueue = queue.enqueueBatch.bind(queue);
  return new Promise((resolve) => {
    queue.enqueueBatch = async (into, jobs) => {
      if (into === name) {
        queue.enqueueBatch = enqueue;
        resolve(JSON.parse(jobs[0]?.data ?? '{}') as Record<string, unknown>);
      }
      return enqueue(into, jobs);
    };
  });
}

const toAddress = (publishId: string, registrationToken: string) => ({
  ...toDevice(publishId, ''),
  recipients: [{ type: 'recipient', recipient: { transportType: 'gcm', registrationToken } }],
});

/** Work missing in the queues, known only to the store. */
export function lostWork(open: () => Scene): void {
  let scene: Scene;
  beforeAll(() => {
    scene = open();
  });
  beforeEach(() => scene.clouds.answer(() => accepted('m')));

  const arrived = (token: string): number =>
    scene.clouds.arrivals.filter(({ target }) => JSON.stringify(target).includes(`"${token}"`)).length;

  /** Ages the open work of a publish by more than ten minutes. */
  async function tenMinutesPass(publishId: string): Promise<void> {
    const { store } = scene;
    const nowMs = Date.now() - LONG_AGO_MS;
    const open = await store.openClaims('shop', publishId, null, 10);
    const lease = { owner: 'dead', nowMs, untilMs: nowMs + 1 };
    const keys = [...(await store.takeForSending('shop', publishId, open, lease))];
    await store.giveBack('shop', publishId, keys, 'dead', nowMs);
  }

  const openStates = async (publishId: string): Promise<string[]> =>
    (await scene.store.openClaims('shop', publishId, null, 10)).map(({ state }) => state);

  it('is given out again: deliveries to a device, and to an address', async () => {
    await scene.send('POST', '/deviceRegistrations', fcmDevice('lost-1'));
    for (const body of [toDevice('lost-device', 'lost-1'), toAddress('lost-address', 'lost-2')]) {
      losing(scene, 'push.delivery.fcm.v1');
      await scene.send('POST', '/publish', body);
      await scene.until(body.publishId, ({ state }) => state === 'dispatching');
      await expect.poll(() => openStates(body.publishId)).toEqual(['planned']);
      expect(isOver((await scene.send('GET', `/publish/${body.publishId}/status`)).body)).toBe(false);
      await tenMinutesPass(body.publishId);
      expect(await scene.until(body.publishId, isOver)).toMatchObject({
        state: 'succeeded',
        counters: { planned: 1, succeeded: 1 },
      });
    }
    expect([arrived('secret-token-of-lost-1'), arrived('lost-2')]).toEqual([1, 1]);
  });

  it('is given out again: attempts that were to follow, and they end by the same rule', async () => {
    await scene.send('POST', '/deviceRegistrations', fcmDevice('lost-3'));
    scene.clouds.answer(({ earlier }) =>
      earlier === 0
        ? retryable('unavailable', 'provider_transient', 'down', { deviceOnly: true })
        : accepted('m'),
    );
    for (const body of [toDevice('lost-retry', 'lost-3'), toAddress('lost-retry-address', 'lost-4')]) {
      losing(scene, 'push.retry.v1');
      await scene.send('POST', '/publish', body);
      await expect.poll(() => openStates(body.publishId)).toEqual(['retry']);
      const [claim] = await scene.store.openClaims('shop', body.publishId, null, 1);
      const again = nextInto(scene, 'push.retry.v1');
      await tenMinutesPass(body.publishId);
      // How long it may be tried goes by when it was first tried.
      expect((await again)['payload']).toMatchObject({ firstAttemptAtMs: claim?.firstAttemptMs });
      expect(await scene.until(body.publishId, isOver)).toMatchObject({
        state: 'succeeded',
        counters: { retryScheduled: 1, retryAttempted: 1, succeeded: 1 },
      });
    }
    expect([arrived('secret-token-of-lost-3'), arrived('lost-4')]).toEqual([2, 2]);
  });

  it('is given out again: what a dead dispatcher had taken', async () => {
    await scene.send('POST', '/deviceRegistrations', fcmDevice('lost-5'));
    losing(scene, 'push.delivery.fcm.v1');
    await scene.send('POST', '/publish', toDevice('lost-sending', 'lost-5'));
    await expect.poll(() => openStates('lost-sending')).toEqual(['planned']);
    const claims = await scene.store.openClaims('shop', 'lost-sending', null, 10);
    const nowMs = Date.now() - LONG_AGO_MS;
    await scene.store.takeForSending('shop', 'lost-sending', claims, {
      owner: 'dead',
      nowMs,
      untilMs: nowMs + 60_000,
    });
    expect(await scene.until('lost-sending', isOver)).toMatchObject({ state: 'succeeded' });
    expect(arrived('secret-token-of-lost-5')).toBe(1);
  });

  it('is given out again: a publish that nobody planned (52)', async () => {
    await scene.send('POST', '/deviceRegistrations', fcmDevice('lost-6'));
    losing(scene, 'push.publish.v1');
    await scene.send('POST', '/publish', toDevice('lost-publish', 'lost-6'));
    expect(await scene.until('lost-publish', isOver)).toMatchObject({ state: 'succeeded' });
    expect(arrived('secret-token-of-lost-6')).toBe(1);
  });

  it('is given out when the scheduler is back, and ends as expired where that was too late (44)', async () => {
    await scene.send('POST', '/deviceRegistrations', fcmDevice('lost-7'));
    const { store } = scene;
    const { dueJobs, forgottenPublishes } = store;
    store.dueJobs = async () => [];
    store.forgottenPublishes = async () => [];
    try {
      const notBeforeMs = Date.now() + 300;
      const late = { notBeforeMs, expiresAtMs: notBeforeMs + 1 };
      for (const body of [
        toDevice('lost-due', 'lost-7', { notBeforeMs }),
        toDevice('lost-late', 'lost-7', late),
      ]) {
        losing(scene, 'push.publish.v1');
        expect((await scene.send('POST', '/publish', body)).status).toBe(202);
      }
      await expect.poll(() => Date.now()).toBeGreaterThan(notBeforeMs + 1);
      expect((await scene.send('GET', '/publish/lost-due/status')).body).toMatchObject({ state: 'queued' });
    } finally {
      Object.assign(store, { dueJobs, forgottenPublishes });
    }
    expect(await scene.until('lost-due', isOver)).toMatchObject({ state: 'succeeded' });
    expect(await scene.until('lost-late', isOver)).toMatchObject({ state: 'expired' });
    expect(arrived('secret-token-of-lost-7')).toBe(1);
  });
}
