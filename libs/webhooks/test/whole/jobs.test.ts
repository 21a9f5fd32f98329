import { App } from '@carillon/app-registry';
import { encode, WEBHOOK_DELIVERY_JOB } from '@carillon/contracts';
import type { Job } from '@carillon/queue';
import { describe, expect, it } from 'vitest';
import { entryKeys } from '../../src/delivery/entry-key.js';
import { Receiver } from '../receiver.js';
import { config, record, until, valueOf } from '../samples.js';
import { deadLetters, Scene, to } from './scene.js';

describe('a job', () => {
  it('of an app or a receiver that is gone meanwhile is kept among the dead, with the reason', async () => {
    const receiver = await Receiver.open();
    const settings = config();
    const scene = await Scene.open([to(receiver)]);
    const { app } = scene;
    scene.occupy('a');
    scene.app = null;
    await until(async () => (await deadLetters(scene)).length === 1);
    for (const next of [
      new App(record([to(receiver)], { enabled: false }), settings),
      new App(record([to(receiver, { url: 'http://127.0.0.1:1/' })]), settings),
    ]) {
      scene.app = app;
      receiver.replies = [
        (response) => {
          scene.app = next;
          response.writeHead(500).end();
        },
      ];
      const before = (await deadLetters(scene)).length;
      scene.occupy('b');
      await until(async () => (await deadLetters(scene)).length === before + 1);
    }
    expect(await deadLetters(scene)).toEqual(['app gone', 'app disabled', 'receiver gone']);
    expect(await valueOf(scene.metrics, 'webhook_deliveries_total', { outcome: 'dead' })).toBe(3);
  });

  it('waits while nobody can tell what its app is', async () => {
    const receiver = await Receiver.open();
    const scene = await Scene.open([to(receiver)]);
    const { app } = scene;
    scene.occupy('a');
    scene.app = undefined;
    await until(async () => (await scene.queue.stats('webhooks')).delayed === 1);
    expect(await scene.queue.stats('webhooks')).toMatchObject({ deadLetter: 0 });
    scene.app = app;
    await until(() => receiver.received.length === 1);
  });

  it('that comes again is delivered under the same ids, and not while the queue remembers', async () => {
    const receiver = await Receiver.open();
    const scene = await Scene.open([to(receiver), to(receiver)]);
    const taken: string[] = [];
    const { enqueueBatch } = scene.queue;
    scene.queue.enqueueBatch = (queue, jobs) => {
      taken.push(...jobs.map(({ data }) => data));
      return enqueueBatch.call(scene.queue, queue, jobs);
    };
    scene.occupy('a');
    await until(() => receiver.received.length === 2);
    const [batch = ''] = taken;
    await scene.queue.enqueue('webhooks', batch, { jobId: 'again' });
    await scene.rest();
    expect(receiver.received).toHaveLength(2);
  });

  it('that comes again after its receivers changed adds nothing to what was made of it before', async () => {
    const [one, other] = [await Receiver.open(), await Receiver.open()];
    const scene = await Scene.open([to(one)]);
    let batch = '';
    const { enqueueBatch } = scene.queue;
    scene.queue.enqueueBatch = (queue, jobs) => {
      batch ||= jobs[0]?.data ?? '';
      return enqueueBatch.call(scene.queue, queue, jobs);
    };
    scene.occupy('a', 'b');
    await until(() => one.received.length === 1);
    scene.app = new App(record([to(one, { filter: { channel_prefix: 'a' } }), to(other)]), config());
    await scene.queue.enqueue('webhooks', batch, { jobId: 'again' });
    await until(() => other.received.length === 1);
    await scene.rest();
    expect(one.received).toHaveLength(1);
    expect(await deadLetters(scene)).toEqual([]);
  });

  it('that is worked on twice is tried again once', async () => {
    const receiver = await Receiver.open();
    receiver.replies = [500];
    const retry = { initial_backoff_ms: 500, max_backoff_ms: 500, max_attempts: 2 };
    const scene = await Scene.open([to(receiver, { retry })]);
    const jobs: Job[] = [];
    const { handle } = scene.delivery;
    scene.delivery.handle = (job) => {
      jobs.push(job);
      return handle.call(scene.delivery, job);
    };
    scene.occupy('a');
    await until(() => receiver.received.length === 1);
    await scene.rest();
    const [, first] = jobs;
    if (first === undefined) throw new Error('no delivery');
    await scene.delivery.handle(first);
    expect(await scene.queue.stats('webhooks')).toMatchObject({ delayed: 1, ready: 0 });
    await until(async () => (await deadLetters(scene)).length === 1);
    expect(receiver.received).toHaveLength(3);
  });

  it('nobody understands is kept among the dead', async () => {
    const scene = await Scene.open([]);
    await scene.queue.enqueue('webhooks', '{"v":1,"kind":"webhook","app_id":7}');
    await scene.queue.enqueue('webhooks', 'garbage');
    await until(async () => (await deadLetters(scene)).length === 2);
    expect(await deadLetters(scene)).toEqual(['invalid-envelope', 'invalid-envelope']);
  });

  it('whose time has not come waits for it, also in a queue that hands it out at once', async () => {
    const receiver = await Receiver.open();
    const scene = await Scene.open([to(receiver)]);
    const [entry = ''] = scene.app ? entryKeys(scene.app).keys() : [];
    const dueMs = Date.now() + 400;
    const body = { delivery_id: 'd', app_id: 'shop', entry, attempt: 2, due_ms: dueMs, body: '{}' };
    const early = encode(WEBHOOK_DELIVERY_JOB, body, 10_000);
    if (!early.ok) throw new Error('no job');
    let arrivedMs = 0;
    receiver.replies = [
      (response) => {
        arrivedMs = Date.now();
        response.end();
      },
    ];
    await scene.queue.enqueue('webhooks', early.text);
    await until(() => receiver.received.length === 1);
    expect(arrivedMs).toBeGreaterThanOrEqual(dueMs - 100);
  });
});
