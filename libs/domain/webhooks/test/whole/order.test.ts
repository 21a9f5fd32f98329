import { AppLookupUnavailable } from '@carillon/app-registry';
import { openQueue } from '@carillon/queue';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Receiver, type Received } from '../receiver.js';
import { config, recordingLog, until } from '../samples.js';
import { deadLetters, eventsOf, QUICK_RETRY, Scene, to } from './scene.js';

const ALONE = '[webhooks.batching]\nenabled = false';
/** Events that can be told apart, of one channel. */
const count = (scene: Scene, channel: string, from: number, to: number): void => {
  for (let n = from; n < to; n += 1) {
    if (!scene.app) throw new Error('no app');
    scene.collector.add(scene.app, { name: 'subscription_count', channel, subscription_count: n });
  }
  scene.collector.cut();
};
const counts = { event_types: ['subscription_count'] };
/** What came of a channel, each only the first time. */
function firstsOf(received: readonly Received[], channel: string): unknown[] {
  const events = received.flatMap(eventsOf).filter((event) => event['channel'] === channel);
  return [...new Set(events.map((event) => event['subscription_count']))];
}
const upTo = (n: number) => Array.from({ length: n }, (_, at) => at);

describe('webhooks about one channel', () => {
  it('arrive one after the other and in order, also when requests fail', async () => {
    const receiver = await Receiver.open();
    receiver.replies = [500, 200, 503, 500, (response) => response.destroy(), 429, 200];
    const scene = await Scene.open([to(receiver, counts)], ALONE);
    count(scene, 'a', 0, 30);
    await until(() => firstsOf(receiver.received, 'a').length === 30);
    await scene.rest();
    expect(firstsOf(receiver.received, 'a')).toEqual(upTo(30));
    expect(receiver.received).toHaveLength(35);
    expect(receiver.mostRunning).toBe(1);
  });

  it('wait for a receiver that fails, while other receivers and other channels do not', async () => {
    const [broken, fine] = [await Receiver.open(), await Receiver.open()];
    let isBroken = true;
    broken.replies = [
      (response, received) => {
        const isRefused = isBroken && received.body.includes('"a"');
        response.writeHead(isRefused ? 500 : 200).end();
      },
    ];
    const scene = await Scene.open([to(broken, counts), to(fine, counts)], ALONE);
    count(scene, 'a', 0, 10);
    count(scene, 'b', 0, 10);
    await until(() => firstsOf(fine.received, 'a').length === 10);
    await until(() => firstsOf(broken.received, 'b').length === 10);
    expect(firstsOf(broken.received, 'a')).toEqual([0]);
    isBroken = false;
    await until(() => firstsOf(broken.received, 'a').length === 10);
    expect(firstsOf(broken.received, 'a')).toEqual(upTo(10));
    expect(firstsOf(fine.received, 'a')).toEqual(upTo(10));
  });

  it('go on in order behind one that is given up', async () => {
    const receiver = await Receiver.open();
    receiver.replies = [400, 200, 500, 500, 200];
    const scene = await Scene.open(
      [to(receiver, { ...counts, retry: { ...QUICK_RETRY, max_attempts: 2 } })],
      ALONE,
    );
    count(scene, 'a', 0, 5);
    await until(() => firstsOf(receiver.received, 'a').length === 5);
    await scene.rest();
    expect(firstsOf(receiver.received, 'a')).toEqual(upTo(5));
    expect(await deadLetters(scene)).toEqual(['status 400', 'given up: status 500']);
  });

  it('that waited behind others for all their time get one attempt each', async () => {
    const receiver = await Receiver.open();
    receiver.replies = [500];
    const retry = { initial_backoff_ms: 100, max_backoff_ms: 100, max_elapsed_time_ms: 250 };
    const scene = await Scene.open([to(receiver, { ...counts, retry })], ALONE);
    count(scene, 'a', 0, 20);
    await until(async () => (await deadLetters(scene)).length === 20);
    const attempts = new Map<unknown, number>();
    for (const { headers } of receiver.received) {
      const id = headers['x-service-webhook-id'];
      attempts.set(id, (attempts.get(id) ?? 0) + 1);
    }
    const [first = 0, ...later] = attempts.values();
    expect(first).toBeGreaterThan(1);
    expect(later.slice(2)).toEqual(later.slice(2).map(() => 1));
    expect(later).toHaveLength(19);
  });

  it('all arrive, in whatever order, where the queue keeps none', async () => {
    const receiver = await Receiver.open();
    receiver.replies = [500, 503, 200];
    const scene = await Scene.open([to(receiver, counts)], ALONE);
    Object.assign(scene.queue.capabilities, { lines: false });
    count(scene, 'a', 0, 20);
    await until(() => firstsOf(receiver.received, 'a').length === 20);
    await until(() => receiver.received.length === 22);
    expect(await deadLetters(scene)).toEqual([]);
  });

  it('stay in order while nobody can tell what their app is, and other apps do not wait', async () => {
    const [receiver, other] = [await Receiver.open(), await Receiver.open()];
    const settings = config({ WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' }, ALONE);
    const queue = await openQueue(
      'memory',
      { reliability: settings.queue.reliability, log: recordingLog().log },
      settings,
    );
    await queue.connect();
    onTestFinished(() => queue.close());
    const [scene, bank] = [
      new Scene(queue, [to(receiver, counts)], settings),
      new Scene(queue, [to(other, counts)], settings, 'bank'),
    ];
    const [lost, shop] = [{ isLost: true }, scene.app];
    scene.find = async (appId) => {
      if (appId === 'bank') return bank.app ?? null;
      if (lost.isLost) throw new AppLookupUnavailable(new Error('away'));
      return shop ?? null;
    };
    scene.work();
    count(scene, 'a', 0, 5);
    count(bank, 'a', 0, 5);
    await until(() => firstsOf(other.received, 'a').length === 5);
    expect(receiver.received).toEqual([]);
    lost.isLost = false;
    await until(() => firstsOf(receiver.received, 'a').length === 5);
    expect(firstsOf(receiver.received, 'a')).toEqual(upTo(5));
    expect(firstsOf(other.received, 'a')).toEqual(upTo(5));
  });
});
