import { queueNames } from '@carillon/contracts';
import { App, AppLookupUnavailable } from '@carillon/app-registry';
import { namespaceName } from '@carillon/channels';
import { openQueue, type Queue } from '@carillon/queue';
import type { Metrics } from '@carillon/runtime';
import Pusher from 'pusher';
import { expect, onTestFinished } from 'vitest';
import { Batcher } from '../../src/batching/batcher.js';
import { Delivery, HELD_JOBS } from '../../src/delivery/delivery.js';
import { HttpTarget } from '../../src/target/http-target.js';
import { LambdaTarget } from '../../src/target/lambda-target.js';
import type { Received, Receiver } from '../receiver.js';
import { config, KEY, metrics, record, recordingLog, SECRET, type Line } from '../samples.js';

/** The library that customers check webhooks with. */
const library = new Pusher({ appId: '1042', key: KEY, secret: SECRET, host: '127.0.0.1' });

const IN_BATCHES = '[webhooks.batching]\nenabled = true';

/** The events of a request, if the customer's library takes it for genuine. */
export function eventsOf({ headers, body }: Received): readonly Record<string, unknown>[] {
  const webhook = library.webhook({ headers, rawBody: body });
  expect(webhook.isValid()).toBe(true);
  return webhook.getEvents() as readonly unknown[] as readonly Record<string, unknown>[];
}

/** One process that emits and delivers, over a memory queue by default. */
export class Scene {
  readonly metrics: Metrics = metrics();
  readonly lines: Line[];
  readonly batcher: Batcher;
  readonly delivery: Delivery;
  /** Answer of the app store; undefined: unavailable. */
  app: App | null | undefined;

  constructor(
    readonly queue: Queue,
    webhooks: readonly object[],
    settings = config({ WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true', WEBHOOK_BATCHING_ENABLED: 'true' }),
    id = 'shop',
  ) {
    const { log, lines } = recordingLog();
    this.lines = lines;
    this.app = new App(record(webhooks, { id }), settings);
    this.batcher = new Batcher({
      batching: settings.webhooks.batching,
      queue,
      metrics: this.metrics,
      log,
    });
    const http = new HttpTarget({ allowPrivate: settings.webhooks.allow_private_targets });
    onTestFinished(() => http.close());
    this.delivery = new Delivery({
      queue,
      apps: { findById: (appId) => this.find(appId) },
      settings: settings.webhooks,
      namespaceOf: namespaceName,
      http,
      lambda: new LambdaTarget(),
      metrics: this.metrics,
      log,
    });
  }

  static async open(webhooks: readonly object[], file = IN_BATCHES): Promise<Scene> {
    const settings = config({ WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' }, file);
    const queue = await openQueue(
      'memory',
      { reliability: { ...settings.queue.reliability, shutdown_timeout_ms: 500 }, log: recordingLog().log },
      settings,
    );
    await queue.connect();
    onTestFinished(() => queue.close());
    const scene = new Scene(queue, webhooks, settings);
    scene.work();
    return scene;
  }

  /** Works on the queue, as the transport of a process does. */
  work(): void {
    const held = { concurrency: HELD_JOBS, prefetch: HELD_JOBS };
    this.queue.process(queueNames.webhooks, (job) => this.delivery.handle(job), held);
  }

  /** Looks up apps; replace it for several apps. */
  find: (appId: string) => Promise<App | null> = async () => {
    if (this.app === undefined) throw new AppLookupUnavailable(new Error('away'));
    return this.app;
  };

  /** Emits that channels are occupied, and passes the events on. */
  occupy(...channels: readonly string[]): void {
    for (const channel of channels) {
      if (this.app) this.batcher.add(this.app, { name: 'channel_occupied', channel });
    }
    this.batcher.cut();
  }

  /** Waits until only delayed work is left. */
  async rest(): Promise<void> {
    for (let quiet = 0; quiet < 3;) {
      const { ready, active } = await this.queue.stats('webhooks');
      quiet = ready === 0 && active === 0 && this.batcher.size === 0 ? quiet + 1 : 0;
      await new Promise((later) => void setTimeout(later, 5));
    }
  }
}

/** Retries that a test can wait for. */
export const QUICK_RETRY = { initial_backoff_ms: 5, max_backoff_ms: 20 };

/** An entry for the receiver, in the stored form. */
export const to = (receiver: Receiver, more: object = {}) => ({
  url: `${receiver.url}/hook?token=5ec2e7`,
  event_types: ['channel_occupied'],
  retry: QUICK_RETRY,
  ...more,
});

/** Why deliveries are among the dead letters, oldest first. */
export async function deadLetters({ queue }: Scene): Promise<readonly string[]> {
  return (await queue.listDeadLetters('webhooks', 100)).map(({ reason }) => reason);
}
