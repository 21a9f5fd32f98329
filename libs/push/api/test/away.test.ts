import { accepted, retryable } from '@carillon/push-providers';
import { type PushStore, PushStoreUnavailable } from '@carillon/push-store';
import { type NewJob, QueueOptionUnsupported, QueueUnavailable } from '@carillon/queue';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fcmDevice, openScene, type Scene } from './scene.js';
import { overPlaces } from './work.js';
import { isOver, toDevice } from './suites/parts.js';

const QUEUES = ['push.publish.v1', 'push.delivery.fcm.v1', 'push.results.v1', 'push.retry.v1'];

type Call = (...given: unknown[]) => Promise<unknown>;

/** Makes a call reject a number of times. */
function failing(
  part: object,
  name: string,
  error: Error,
  times: number,
  concerns = (..._given: unknown[]) => true,
) {
  const calls = part as Record<string, Call>;
  const call = calls[name]?.bind(part);
  if (call === undefined) throw new Error(`there is no ${name}`);
  let left = times;
  calls[name] = async (...given) => {
    if (left === 0 || !concerns(...given)) return call(...given);
    left -= 1;
    throw error;
  };
  return () => left;
}

const retried = ({ counters }: Readonly<Record<string, unknown>>) =>
  (counters as Readonly<Record<string, number>>)['retryAttempted'] === 1;

describe('while what push stands on is away', () => {
  let scene: Scene;
  beforeAll(async () => {
    // The first failure of a handler would make a dead letter.
    scene = await openScene('memory', 'memory', { QUEUE_MAX_ATTEMPTS: '1', PUSH_REPAIR_INTERVAL_SECS: '0' });
    await scene.send('POST', '/deviceRegistrations', fcmDevice('a'));
  });
  afterAll(() => scene.close());
  beforeEach(() =>
    scene.clouds.answer(({ earlier }) =>
      earlier % 2 === 0
        ? retryable('unavailable', 'provider_transient', 'down', { deviceOnly: true })
        : accepted('m'),
    ),
  );

  /** It arrives, at the second attempt, and nothing was given up on the way. */
  async function arrives(publishId: string): Promise<void> {
    const before = scene.clouds.arrivals.length;
    expect((await scene.send('POST', '/publish', toDevice(publishId, 'a'))).status).toBe(202);
    expect(await scene.until(publishId, (status) => isOver(status) && retried(status))).toMatchObject({
      state: 'succeeded',
      counters: {
        planned: 1,
        dispatched: 1,
        succeeded: 1,
        retryScheduled: 1,
        retryAttempted: 1,
        deadLettered: 0,
      },
    });
    expect(scene.clouds.arrivals.length - before).toBe(2);
    for (const queue of QUEUES) expect(await scene.queue.stats(queue)).toMatchObject({ deadLetter: 0 });
    expect((await scene.send('GET', '/deadLetters')).body.items).toEqual([]);
  }

  it.each<keyof PushStore>(['lock', 'plan', 'devicesOf', 'takeForSending', 'remember'])(
    'the store for %s, work is given back and uses up no attempt',
    async (name) => {
      const left = failing(scene.store, name, new PushStoreUnavailable('away'), 2);
      await arrives(`store-${name}`);
      expect(left()).toBe(0);
    },
  );

  it('the store for results, they are applied once it is back', async () => {
    const left = failing(
      scene.store,
      'changePublish',
      new PushStoreUnavailable('away'),
      2,
      (_app, _publish, steps) => (steps as unknown[]).length > 0,
    );
    await arrives('store-results');
    expect(left()).toBe(0);
  });

  it.each(QUEUES.slice(1))(
    'the queue for %s, what has to be handed over waits in the store',
    async (queue) => {
      const left = failing(
        scene.queue,
        'enqueueBatch',
        new QueueUnavailable('away'),
        2,
        (into) => into === queue,
      );
      await arrives(`queue-${queue}`);
      expect(left()).toBe(0);
    },
  );

  it('both, what a provider answered is told once there is somebody to tell', async () => {
    const queue = failing(
      scene.queue,
      'enqueueBatch',
      new QueueUnavailable('away'),
      2,
      (into) => into === 'push.results.v1',
    );
    const store = failing(scene.store, 'putDeferred', new PushStoreUnavailable('away'), 1, (items) =>
      JSON.stringify(items).includes('push.results.v1'),
    );
    await arrives('both');
    expect([queue(), store()]).toEqual([0, 0]);
  });

  it('the counter of rates, a device that has one is reached all the same', async () => {
    const pushRatePolicy = { capacity: 1, refillPerSecond: 1 };
    await scene.send('POST', '/deviceRegistrations', fcmDevice('limited', { pushRatePolicy }));
    await scene.send('POST', '/channelSubscriptions', { channel: 'limits', deviceId: 'limited' });
    failing(scene.push.parts.rateLimit, 'check', new Error('away'), 1);
    scene.clouds.answer(() => accepted('m'));
    const recipients = [{ type: 'channel', channel: 'limits' }];
    await scene.send('POST', '/publish', { ...toDevice('limits', ''), recipients });
    expect(await scene.until('limits', isOver)).toMatchObject({ state: 'succeeded' });
  });
});

const refuse = ({ delayMs, deduplicationKey, jobId }: NewJob): void => {
  if (delayMs !== undefined) throw new QueueOptionUnsupported('plain', 'delayMs');
  if (deduplicationKey !== undefined || jobId !== undefined)
    throw new QueueOptionUnsupported('plain', 'jobId');
};

overPlaces((sceneWith) => {
  describe('a queue that can neither wait nor tell that it has a job already', () => {
    it('is not asked to, and a push is delivered when it is due, and tried again (59)', async () => {
      const scene = await sceneWith({ PUSH_REPAIR_INTERVAL_SECS: '0' });
      const { queue } = scene;
      const plain = { ...queue.capabilities, delayedDelivery: false, deduplication: false };
      Object.defineProperty(queue, 'capabilities', { value: plain });
      const enqueue = queue.enqueueBatch.bind(queue);
      queue.enqueueBatch = async (into, jobs) => {
        jobs.forEach(refuse);
        return enqueue(into, jobs);
      };
      await scene.send('POST', '/deviceRegistrations', fcmDevice('a'));
      const at: number[] = [];
      scene.clouds.answer(({ earlier }) => {
        at.push(Date.now());
        return earlier === 0 ? retryable('unavailable', 'provider_transient', 'down') : accepted('m');
      });
      const notBeforeMs = Date.now() + 500;
      const answer = await scene.send('POST', '/publish', toDevice('p59', 'a', { notBeforeMs }));
      expect(answer.status).toBe(202);
      expect(await scene.until('p59', isOver)).toMatchObject({
        state: 'succeeded',
        counters: { planned: 1, succeeded: 1, retryScheduled: 1 },
      });
      expect(at).toHaveLength(2);
      expect(Math.min(...at)).toBeGreaterThanOrEqual(notBeforeMs);
    });
  });
});
