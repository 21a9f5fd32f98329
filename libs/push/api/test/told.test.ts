import { accepted, rejected, retryable, type SendOutcome } from '@carillon/push-providers';
import { expect, it } from 'vitest';
import { fcmDevice, type Scene } from './scene.js';
import { isOver } from './suites/parts.js';
import { publish, sceneWith } from './work.js';

interface Line {
  readonly level: string;
  readonly target: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const metaOf = (scene: Scene): Line[] =>
  scene
    .logged()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
    .filter(({ target }) => target === '[meta]log:push');

/** Outcome of a notification by the prefix of its token. */
const OUTCOMES: Readonly<Record<string, () => SendOutcome>> = {
  well: () => accepted('m'),
  dead: () => rejected('invalid_token', 'device_terminal', 'UNREGISTERED'),
  weak: () => rejected('provider_rejected', 'device_transient', 'dropped'),
  auth: () => rejected('auth_failure', 'credential_auth', 'no'),
  down: () => retryable('unavailable', 'provider_transient', 'unavailable'),
};

it('the log says what becomes of pushes, step by step, for whoever asks for it (14)', async () => {
  const scene = await sceneWith({
    PUSH_DEFAULT_FANOUT_MAX: '10',
    PUSH_RETRY_MAX_ATTEMPTS: '1',
    PUSH_FAILURE_THRESHOLD: '2',
    PUSH_CLEANUP_INTERVAL_SECS: '1',
  });
  scene.clouds.answer(({ target }) => {
    const [name = ''] = /well|dead|weak|auth|down/.exec(JSON.stringify(target)) ?? [];
    return OUTCOMES[name]?.() ?? accepted('m');
  });
  const register = (id: string) =>
    scene.send(
      'POST',
      '/deviceRegistrations',
      fcmDevice(id, { push: { recipient: { transportType: 'gcm', registrationToken: `${id}-t0ken` } } }),
    );
  for (const id of Object.keys(OUTCOMES)) {
    await register(id);
    const when = id === 'well' ? { notBeforeMs: Date.now() + 1000 } : {};
    await publish(scene, `of-${id}`, [{ type: 'device', deviceId: id }], when);
    await scene.until(`of-${id}`, isOver);
  }
  const many = Array.from({ length: 11 }, () => ({ type: 'device', deviceId: 'well' }));
  await publish(scene, 'too-many', many);
  await scene.store.remember('shop', 'old', 1, 2);
  const seen = () => new Set(metaOf(scene).map(({ fields }) => fields['event']));
  await expect
    .poll(seen, { timeout: 10_000 })
    .toEqual(
      new Set([
        'push-accepted',
        'publish-completed',
        'device-state-changed',
        'provider-rejected',
        'token-invalidated',
        'quota-event',
        'scheduler-event',
        'circuit-breaker-event',
        'dead-letter',
        'cleanup-event',
      ]),
    );
  const completed = metaOf(scene).filter(({ fields }) => fields['event'] === 'publish-completed');
  const ended = Object.keys(OUTCOMES).map((id) => `of-${id}`);
  expect(completed.map(({ fields }) => fields['publishId'])).toEqual(ended);
  expect(new Set(metaOf(scene).map(({ level }) => level))).toEqual(new Set(['DEBUG']));
  expect(JSON.stringify(metaOf(scene))).not.toMatch(/t0ken|UNREGISTERED/);
});

it('work that nobody can read is kept among the dead, and cannot be replayed (6.1)', async () => {
  const scene = await sceneWith({});
  await scene.queue.enqueueBatch('push.publish.v1', [{ data: 'no item at all' }]);
  const broken = {
    v: 1,
    messageId: 'm',
    key: 'shop:p:fcm:b',
    payload: { appId: 'shop', publishId: 'p', provider: 'fcm' },
  };
  await scene.queue.enqueueBatch('push.delivery.fcm.v1', [{ data: JSON.stringify(broken) }]);
  const dead = (appId: string) => scene.store.deadLetters(appId, {}, null, 10);
  await expect
    .poll(() => dead(''), { timeout: 10_000 })
    .toMatchObject([{ stage: 'publish_log', reason: 'malformed', publishId: '', item: null }]);
  await expect.poll(() => dead('shop'), { timeout: 10_000 }).toHaveLength(1);
  const [letter] = (await scene.send('GET', '/deadLetters')).body.items;
  expect(letter).toMatchObject({ stage: 'delivery_jobs_fcm', reason: 'malformed', replayable: false });
  const again = await scene.send('POST', `/deadLetters/${String(letter?.['deadLetterId'])}/replay`);
  expect(again.status).toBe(400);
});

it('what others say of a delivery to the token before does nothing to a device that has another (2.10)', async () => {
  const scene = await sceneWith({});
  const register = (registrationToken: string) =>
    scene.send(
      'POST',
      '/deviceRegistrations',
      fcmDevice('d', { push: { recipient: { transportType: 'gcm', registrationToken } } }),
    );
  await register('old');
  await publish(scene, 'p', [{ type: 'device', deviceId: 'd' }]);
  await scene.until('p', isOver);
  await register('new');
  const tell = (publishId: string) =>
    scene.send('POST', '/deliveryStatus', {
      publishId,
      eventId: 'e',
      occurredAtMs: 1,
      result: {
        provider: 'fcm',
        outcome: 'rejected',
        attempt: 1,
        deviceId: 'd',
        error: { class: 'unregistered' },
      },
    });
  const isTaken = async () => (await scene.queue.stats('push.results.v1')).completed;
  const before = (await isTaken()) ?? 0;
  expect((await tell('p')).status).toBe(202);
  await expect.poll(isTaken).toBe(before + 1);
  expect((await scene.send('GET', '/deviceRegistrations/d')).status).toBe(200);
  await publish(scene, 'p2', [{ type: 'device', deviceId: 'd' }]);
  await scene.until('p2', isOver);
  expect((await tell('p2')).status).toBe(202);
  await expect.poll(async () => (await scene.send('GET', '/deviceRegistrations/d')).status).toBe(404);
});
