import { App } from '@carillon/app-registry';
import { openQueue } from '@carillon/queue';
import { expect, it, onTestFinished } from 'vitest';
import { Batcher } from '../../src/batching/batcher.js';
import { Receiver } from '../receiver.js';
import { config, record, recordingLog, until, valueOf } from '../samples.js';
import { Scene, to } from './scene.js';

const EVENTS = 500;

const settings = config({ WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' }, '[webhooks.batching]\nenabled = false');

/** A process whose queue fills before anything is delivered, and two apps. */
async function scene() {
  const { reliability } = settings.queue;
  const queue = await openQueue('memory', { reliability, log: recordingLog().log }, settings);
  await queue.connect();
  onTestFinished(() => queue.close());
  const receiver = await Receiver.open();
  const apps = new Map(
    ['churning', 'quiet'].map((id) => [id, new App(record([to(receiver)], { id }), settings)]),
  );
  const opened = new Scene(queue, [], settings);
  const lookedUp: string[] = [];
  opened.find = async (appId) => {
    lookedUp.push(appId);
    return apps.get(appId) ?? null;
  };
  const emit = (appId: string, channel: string): void => {
    const app = apps.get(appId);
    if (app !== undefined) opened.batcher.add(app, { name: 'channel_occupied', channel });
  };
  return { opened, apps, emit, lookedUp };
}

it('the queue serves an app in its turn when another one has a backlog', async () => {
  const { opened, emit, lookedUp } = await scene();
  for (let n = 0; n < EVENTS; n += 1) emit('churning', `c${n}`);
  await until(() => opened.batcher.size === 0);
  emit('quiet', 'q');
  await until(() => opened.batcher.size === 0);
  opened.work();
  await until(() => lookedUp.includes('quiet'));
  expect(lookedUp.indexOf('quiet')).toBeLessThan(10);
});

it('the batcher drops and counts the events of the app that fills its share, and of no other', async () => {
  const { opened, apps } = await scene();
  const { log, lines } = recordingLog();
  const { queue, metrics } = opened;
  const bounds = { maxEvents: 40, maxBytes: 1024 * 1024, shares: 4 };
  const batcher = new Batcher({ batching: settings.webhooks.batching, queue, metrics, log, bounds });
  const emit = (appId: string, channel: string): void => {
    const app = apps.get(appId);
    if (app !== undefined) batcher.add(app, { name: 'channel_occupied', channel });
  };
  for (let n = 0; n < 15; n += 1) emit('churning', `c${n}`);
  emit('quiet', 'q');
  const dropped = (app_id: string) => valueOf(opened.metrics, 'webhook_events_dropped_total', { app_id });
  expect([await dropped('churning'), await dropped('quiet')]).toEqual([5, 0]);
  expect(lines.filter(({ message }) => message.startsWith('too many webhook events'))).toHaveLength(1);
});
