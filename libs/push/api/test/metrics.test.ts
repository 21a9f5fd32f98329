import { accepted, rejected, retryable, type SendOutcome } from '@carillon/push-providers';
import { METRICS } from '@carillon/runtime';
import { expect, it, onTestFinished } from 'vitest';
import { fcmDevice, openScene, type Scene } from './scene.js';

const ENV = {
  RATE_LIMITER_ENABLED: 'true',
  PUSH_DELIVERY_QUOTA_DAILY: '1000',
  PUSH_CLEANUP_INTERVAL_SECS: '1',
  PUSH_REPAIR_INTERVAL_SECS: '1',
  PUSH_RETRY_MAX_ATTEMPTS: '2',
  PUSH_FAILURE_THRESHOLD: '1',
};
const RULE = `
[push.circuit_breaker]
cooldown_secs = 1
[[push_rules]]
channel_pattern = "news"
event_filter = ["told"]
`;

/** Outcome of a notification by the prefix of its token. */
const OUTCOMES: Readonly<Record<string, () => SendOutcome>> = {
  well: () => accepted('m'),
  dead: () => rejected('invalid_token', 'device_terminal', 'UNREGISTERED'),
  weak: () => rejected('provider_rejected', 'device_transient', 'dropped'),
  down: () => retryable('unavailable', 'provider_transient', 'unavailable'),
};

const isOver = ({ state }: Readonly<Record<string, unknown>>) =>
  !['queued', 'planning', 'dispatching', 'throttled'].includes(String(state));

const toChannel = (channel: string) => [{ type: 'channel', channel }];

/** A retry in the far future, and an unreadable one. */
async function strangeRetries({ queue }: Scene): Promise<void> {
  const job = {
    deliveryKey: 'k',
    attempt: 2,
    firstAttemptAtMs: 1,
    deviceId: 'well1',
    recipient: null,
    audience: null,
  };
  const common = {
    appId: 'shop',
    publishId: 'p1',
    provider: 'fcm',
    batchId: 'b',
    rendered: {},
    job,
    retryKey: 'r',
  };
  const times = { firstAttemptAtMs: 1, nextAttemptAtMs: Date.now() + 60_000, maxAttempts: 5 };
  const item = { v: 1, messageId: 'm', key: 'k', payload: { ...common, ...times } };
  await queue.enqueue('push.retry.v1', JSON.stringify(item));
  await queue.enqueue('push.retry.v1', JSON.stringify({ ...item, payload: {} }));
}

it('every metric of push shows what was done', { timeout: 60_000 }, async () => {
  const scene = await openScene('memory', 'memory', ENV, RULE);
  onTestFinished(() => scene.close());
  scene.clouds.answer(({ target }) => {
    const { recipient } = target as { recipient: { registrationToken: string } };
    const kind = /secret-token-of-([a-z]{4})/.exec(recipient.registrationToken)?.[1] ?? 'well';
    return (OUTCOMES[kind] ?? OUTCOMES['well'])?.() ?? accepted('m');
  });
  const register = async (id: string, channel: string, more = {}) => {
    expect((await scene.send('POST', '/deviceRegistrations', fcmDevice(id, more))).status).toBe(201);
    await scene.send('POST', '/channelSubscriptions', { channel, deviceId: id });
  };
  const publish = async (publishId: string, recipients: readonly object[]) => {
    const body = { publishId, recipients, payload: { title: 'Hi', body: 'There' } };
    expect((await scene.send('POST', '/publish', body)).status).toBe(202);
  };
  await register('well1', 'well');
  await register('weak1', 'weak');
  await register('down1', 'down');
  await register('slow1', 'slow', { pushRatePolicy: { capacity: 1, refillPerSecond: 1 } });
  await register('dead', 'gone');
  await Promise.all(Array.from({ length: 12 }, (_, index) => register(`dead${index}`, 'dead')));

  await publish('p1', toChannel('well'));
  await publish('p1', toChannel('well'));
  await publish('p2', toChannel('weak'));
  await publish('p3', toChannel('dead'));
  await publish('p8', toChannel('gone'));
  for (const id of ['p4', 'p5']) await publish(id, [{ type: 'device', deviceId: 'slow1' }]);
  for (const id of ['p1', 'p2', 'p3', 'p4', 'p5', 'p8']) await scene.until(id, isOver);
  // The breaker opens with the first of them, and the second waits until it is closed.
  for (const id of ['p6', 'p7']) await publish(id, toChannel('down'));
  const event = { appId: 'shop', channel: 'news', event: 'told', data: 'no object', id: '1' };
  await scene.push.triggers().onPublished(event);
  await strangeRetries(scene);

  const names = Object.keys(METRICS).filter((name) => name.startsWith('push_'));
  expect(names.length).toBeGreaterThan(50);
  const shown = async () => new Set((await scene.metrics()).match(/^service_push_\w+/gm));
  await expect
    .poll(
      async () => {
        const there = [...(await shown())];
        return names.filter((name) => !there.some((one) => one.startsWith(`service_${name}`)));
      },
      { timeout: 20_000 },
    )
    .toEqual([]);
  const value = async (series: string) => {
    const lines = (await scene.metrics()).split('\n');
    const line = lines.find((one) => one.startsWith(`service_push_${series} `));
    return line === undefined ? null : Number(line.split(' ').at(-1));
  };
  // Effects on devices follow the end of the publish.
  for (const [series, least] of [
    ['wfq_dispatched_total{provider="fcm",app="shop"}', 5],
    ['devices_total{app="shop",state="FAILED"}', 12],
    ['token_invalidations_total{provider="fcm",app="shop"}', 1],
    ['token_invalidation_guard_total{provider="fcm",app="shop"}', 1],
    ['quota_consumed_delivery{app="shop"}', 16],
    ['retry_deferred_delay_seconds{provider="fcm",app="shop"}', 50],
    ['circuit_breaker_deferred_total{provider="fcm",app="shop"}', 1],
    ['duplicate_suppressed_total', 1],
  ] as const) {
    await expect
      .poll(() => value(series), { timeout: 10_000, message: series })
      .toBeGreaterThanOrEqual(least);
  }
  for (const [series, exactly] of [
    ['worker_pool_size{provider="fcm"}', 8],
    ['rate_dropped_total{app="shop"}', 1],
    ['retry_malformed_total{provider="",reason="malformed"}', 1],
    ['invariant_violations_total{invariant="status_transition"}', 0],
    ['invariant_violations_total{invariant="more_results_than_planned"}', 0],
  ] as const) {
    expect([series, await value(series)]).toEqual([series, exactly]);
  }
});
