import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Channels } from '@carillon/channels';
import type { Config } from '@carillon/config';
import { queueNames } from '@carillon/contracts';
import { openProviders } from '@carillon/push-providers';
import { PUSH_STORE, SEALER } from '@carillon/push-store';
import { type Consumed, PUSH_QUEUE, QueueTransport } from '@carillon/queue';
import { RATE_LIMIT } from '@carillon/rate-limit';
import { optional, type PartsOf, provider, RUNTIME } from '@carillon/runtime';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { PushChannels } from './channels.js';
import { PushOperations } from './operations/push-operations.js';
import type { PushParts } from './parts.js';
import { queuesOf, type Stage } from './pipeline/items.js';
import { Secrets } from './secrets.js';
import { PushService } from './service.js';
import { sentHere, type WorkerStage, workersOf } from './stages.js';
import {
  PUSH,
  PUSH_CHANNELS,
  PUSH_OPERATIONS,
  PUSH_PARTS,
  PUSH_PROVIDERS_TOKEN,
  PUSH_TRANSPORT,
  PUSH_WORKER,
} from './tokens.js';
import { META_TARGET } from './watch/meta.js';
import { PushWorker } from './worker.js';
import { PushWorkerController } from './worker.controller.js';

const MADE_OF = {
  ...RUNTIME,
  store: PUSH_STORE,
  queue: PUSH_QUEUE,
  rateLimit: RATE_LIMIT,
  sealer: SEALER,
  channels: PUSH_CHANNELS,
  providers: optional(PUSH_PROVIDERS_TOKEN),
};

function partsOf(parts: PartsOf<typeof MADE_OF>): PushParts {
  const { config, store, queue, rateLimit, sealer, metrics, logging, channels, providers } = parts;
  return {
    config,
    store,
    queue,
    rateLimit,
    metrics,
    secrets: new Secrets(sealer),
    providers: providers ?? openProviders(config, channels),
    log: logging.for('service::push'),
    meta: logging.for(META_TARGET),
    now: () => Date.now(),
    owner: `${hostname()}:${process.pid}:${randomUUID()}`,
  };
}

/** Returns the queue of each pattern and its concurrency. */
function consumedBy(config: Config, offered: readonly WorkerStage[]): (pattern: string) => Consumed {
  const { queue_partition_count: queueCount } = config.push;
  const by = (workers: number, stages: readonly Stage[], each: number): Consumed => {
    const held = workers * each;
    return workers === 0 || stages.length === 0
      ? { queues: [] }
      : { queues: stages.flatMap((one) => queuesOf(one, queueCount)), concurrency: held, prefetch: held };
  };
  const of = (stage: WorkerStage, stages: readonly Stage[], each: number): Consumed =>
    by(workersOf(config, stage, offered), stages, each);
  const byPattern: Readonly<Record<string, Consumed>> = {
    [queueNames.pushPublish]: of('planner', ['publish'], 16),
    [queueNames.pushShards]: of('shard', ['shards'], 8),
    'push.delivery': by(config.push.dispatch_worker_count, sentHere(config, offered), 32),
    [queueNames.pushResults]: of('feedback', ['results'], 64),
    [queueNames.pushRetry]: of('retry', ['retry'], 64),
  };
  return (pattern) => byPattern[pattern] ?? { queues: [] };
}

/**
 * Push in this process: its operations, and the stages that run here. Needs `RuntimeModule` and the modules of the
 * push store, the push queue and the rate limiter.
 */
@Global()
@Module({})
export class PushModule {
  /** Stages that may run here, further selected by `workers.push_stages` and the worker counts. */
  static offering(offered: readonly WorkerStage[]): DynamicModule {
    return {
      module: PushModule,
      controllers: [PushWorkerController],
      providers: [
        { provide: PUSH_CHANNELS, useValue: new PushChannels() },
        provider(PUSH_PARTS, MADE_OF, partsOf),
        provider(PUSH_WORKER, { ...RUNTIME, push: PUSH_PARTS }, ({ push, startup, shutdown }) => {
          const worker = new PushWorker(push, offered);
          startup.needs({
            name: 'push workers',
            connect: async () => {
              await push.store.connect();
              worker.start();
            },
          });
          shutdown.onShutdown('flush', 'push workers', () => worker.close());
          return worker;
        }),
        provider(
          PUSH,
          { push: PUSH_PARTS, worker: PUSH_WORKER },
          ({ push, worker }) => new PushService(push, worker),
        ),
        provider(
          PUSH_OPERATIONS,
          { ...RUNTIME, push: PUSH },
          ({ push, config }) => new PushOperations(push, { config, channels: new Channels(config) }),
        ),
        provider(
          PUSH_TRANSPORT,
          { ...RUNTIME, queue: PUSH_QUEUE },
          ({ config, queue }) => new QueueTransport(PUSH_TRANSPORT, queue, consumedBy(config, offered)),
        ),
      ],
      exports: [PUSH, PUSH_CHANNELS, PUSH_OPERATIONS, PUSH_TRANSPORT],
    };
  }
}
