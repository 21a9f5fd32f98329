import { App } from '@carillon/app-registry';
import { describe, expect, it } from 'vitest';
import { Receiver, type Received } from '../receiver.js';
import { config, KEY, record, SECRET, until, valueOf } from '../samples.js';
import { deadLetters, eventsOf, QUICK_RETRY, Scene, to } from './scene.js';

const idsOf = (received: readonly Received[]) =>
  received.map(({ headers }) => headers['x-service-webhook-id']);

describe('a webhook', () => {
  it('arrives as documented, and the customer’s library takes it for genuine', async () => {
    const receiver = await Receiver.open();
    const scene = await Scene.open([to(receiver, { headers: { 'X-Env': 'prod' } })]);
    const fromMs = Date.now();
    scene.occupy('orders', 'chat:1');
    await until(() => receiver.received.length === 1);
    const [received] = receiver.received;
    if (received === undefined) throw new Error('nothing');
    expect(eventsOf(received)).toEqual([
      { name: 'channel_occupied', channel: 'orders' },
      { name: 'channel_occupied', channel: 'chat:1' },
    ]);
    const { time_ms, ...body } = JSON.parse(received.body) as { time_ms: number };
    expect(Object.keys(body)).toEqual(['events']);
    expect(time_ms).toBeGreaterThanOrEqual(fromMs);
    expect(received.rawHeaders.slice(0, 12).filter((_, at) => at % 2 === 0)).toEqual([
      'Content-Type',
      'Content-Length',
      'X-Pusher-Key',
      'X-Pusher-Signature',
      'X-Service-Webhook-Id',
      'X-Env',
    ]);
    expect(received.headers['content-type']).toBe('application/json');
    expect(received.headers['x-pusher-key']).toBe(KEY);
    await scene.rest();
    expect(await valueOf(scene.metrics, 'webhook_deliveries_total', { app_id: 'shop', outcome: 'ok' })).toBe(
      1,
    );
    expect(await valueOf(scene.metrics, 'webhook_delivery_latency_ms_count', { app_id: 'shop' })).toBe(1);
  });

  it('is not sent to a receiver whose filter lets nothing of it through', async () => {
    const receiver = await Receiver.open();
    const scene = await Scene.open([to(receiver, { filter: { channel_prefix: 'orders' } })]);
    scene.occupy('news');
    await scene.rest();
    expect(receiver.received).toEqual([]);
    scene.occupy('news', 'orders-1');
    await scene.rest();
    expect(receiver.received.flatMap(eventsOf)).toEqual([{ name: 'channel_occupied', channel: 'orders-1' }]);
  });

  it('goes to two receivers at the same URL as two deliveries', async () => {
    const receiver = await Receiver.open();
    const scene = await Scene.open([to(receiver), to(receiver)]);
    scene.occupy('a');
    await scene.rest();
    expect(new Set(idsOf(receiver.received)).size).toBe(2);
  });

  it('is signed with the secret of the moment it is sent', async () => {
    const receiver = await Receiver.open();
    const scene = await Scene.open([to(receiver)]);
    const { app } = scene;
    scene.app = new App(record([to(receiver)], { secret: 'old' }), config());
    scene.occupy('a');
    scene.app = app;
    await until(() => receiver.received.length === 1);
    expect(receiver.received.flatMap(eventsOf)).toHaveLength(1);
  });

  it('never shows its secrets, its address or its content in the log', async () => {
    const receiver = await Receiver.open();
    receiver.replies = [500, 404];
    const scene = await Scene.open([to(receiver, { headers: { 'X-Env': 'prod-eu' } })]);
    scene.occupy('orders-of-somebody');
    await until(async () => (await deadLetters(scene)).length === 1);
    const log = JSON.stringify(scene.lines);
    expect(scene.lines.length).toBeGreaterThan(0);
    for (const secret of [SECRET, KEY, '127.0.0.1', '5ec2e7', 'prod-eu', 'orders-of-somebody'])
      expect(log).not.toContain(secret);
  });
});

describe('a receiver that', () => {
  it('answers 500 and then 200 gets two attempts of one delivery, with the same body', async () => {
    const receiver = await Receiver.open();
    receiver.replies = [500, 200];
    const scene = await Scene.open([to(receiver)]);
    scene.occupy('a');
    await until(() => receiver.received.length === 2);
    await scene.rest();
    expect(new Set(idsOf(receiver.received)).size).toBe(1);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(await valueOf(scene.metrics, 'webhook_deliveries_total', { outcome: 'retry' })).toBe(1);
    expect(await valueOf(scene.metrics, 'webhook_deliveries_total', { outcome: 'ok' })).toBe(1);
    expect(await deadLetters(scene)).toEqual([]);
  });

  it('answers 400, or a redirect, gets one attempt, and the delivery is kept among the dead', async () => {
    const receiver = await Receiver.open();
    receiver.replies = [400, (response) => response.writeHead(307, { Location: receiver.url }).end(), 200];
    const scene = await Scene.open([to(receiver)]);
    scene.occupy('a');
    await until(async () => (await deadLetters(scene)).length === 1);
    scene.occupy('b');
    await until(async () => (await deadLetters(scene)).length === 2);
    expect(await deadLetters(scene)).toEqual(['status 400', 'status 307']);
    expect(receiver.received).toHaveLength(2);
    expect(await valueOf(scene.metrics, 'webhook_deliveries_total', { outcome: 'dead' })).toBe(2);
    await scene.queue.replayDeadLetters('webhooks', 1);
    await until(() => receiver.received.length === 3);
    expect(idsOf(receiver.received)[2]).toBe(idsOf(receiver.received)[0]);
  });

  it('goes on failing is given up after its attempts, or its time', async () => {
    const receiver = await Receiver.open();
    receiver.replies = [503];
    const scene = await Scene.open([
      to(receiver, { retry: { ...QUICK_RETRY, max_attempts: 3 } }),
      to(receiver, { url: `${receiver.url}/time`, retry: { ...QUICK_RETRY, max_elapsed_time_ms: 1 } }),
      to(receiver, { url: `${receiver.url}/once`, retry: { enabled: false } }),
    ]);
    scene.occupy('a');
    await until(async () => (await deadLetters(scene)).length === 3);
    expect(await deadLetters(scene)).toEqual(Array.from({ length: 3 }, () => 'given up: status 503'));
    const paths = receiver.received.map(({ path }) => path).sort();
    expect(paths).toEqual([
      '/hook?token=5ec2e7',
      '/hook?token=5ec2e7',
      '/hook?token=5ec2e7',
      '/once',
      '/time',
    ]);
  });

  it('does not answer in its own time is tried again', async () => {
    const receiver = await Receiver.open();
    receiver.replies = [() => {}, 200];
    const scene = await Scene.open([to(receiver, { request_timeout_ms: 30 })]);
    scene.occupy('a');
    await until(() => receiver.received.length === 2);
    expect(new Set(idsOf(receiver.received)).size).toBe(1);
  });

  it('fails does not keep the event from others', async () => {
    const [broken, fine] = [await Receiver.open(), await Receiver.open()];
    broken.replies = [500];
    const scene = await Scene.open([to(broken), to(fine)]);
    scene.occupy('a');
    await until(() => fine.received.length === 1 && broken.received.length > 2);
    await scene.rest();
    expect(fine.received).toHaveLength(1);
  });

  it('hangs delays nobody else, however much waits for it', async () => {
    const [hanging, fine] = [await Receiver.open(), await Receiver.open()];
    hanging.replies = [() => {}];
    const scene = await Scene.open(
      [to(hanging, { request_timeout_ms: 60_000 }), to(fine)],
      '[webhooks.batching]\nenabled = false',
    );
    for (let n = 0; n < 100; n += 1) scene.occupy(`a${n}`);
    await until(() => fine.received.length === 100);
    expect(hanging.mostRunning).toBe(5);
  });
});

describe('deliveries', () => {
  it('of one app are at most fifteen at once', async () => {
    const receivers = await Promise.all(Array.from({ length: 8 }, () => Receiver.open()));
    let [running, most, done] = [0, 0, 0];
    // No request is answered before fifteen are open, so that the speed of the machine does not matter.
    const held: (() => void)[] = [];
    for (const receiver of receivers) {
      receiver.replies = [
        (response) => {
          most = Math.max(most, (running += 1));
          held.push(() => {
            running -= 1;
            done += 1;
            response.end();
          });
          if (most >= 15) for (const answer of held.splice(0)) setTimeout(answer, 5);
        },
      ];
    }
    const scene = await Scene.open(
      receivers.map((receiver) => to(receiver)),
      '[webhooks.batching]\nenabled = false',
    );
    for (let n = 0; n < 50; n += 1) scene.occupy(`a${n}`);
    await until(() => done === 400);
    expect(most).toBe(15);
  });
});
