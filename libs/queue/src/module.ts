import type { Config } from '@carillon/config';
import {
  optional,
  provider,
  RUNTIME,
  type RuntimeParts,
  type Severity,
  token,
  type Token,
} from '@carillon/runtime';
import { type DynamicModule, type FactoryProvider, Global, Module } from '@nestjs/common';
import { openQueue } from './drivers.js';
import { countJobs, showDepths } from './metrics.js';
import type { Queue } from './port.js';

export const QUEUE = token<Queue>('queue');
/** Token of the severity of an unreachable broker; without a provider it is a degradation. */
const QUEUE_SEVERITY = token<Severity>('queue severity');

/** Token of the `Queue` of push, which may be another one. */
export const PUSH_QUEUE = token<Queue>('push queue');

/** Name of the queue in the process. */
type Part = 'queue' | 'push queue';

interface Surroundings extends RuntimeParts {
  readonly severity: Severity | undefined;
}

/** Ties a queue to the life cycle of the process: connected at start, consumed once it runs, drained at the stop. */
async function openProcessQueue(part: Part, driver: string, around: Surroundings): Promise<Queue> {
  const { config, logging, metrics, startup, health, shutdown, severity = 'non-critical' } = around;
  const { reliability } = config.queue;
  const queue = await openQueue(
    driver,
    {
      reliability,
      log: logging.for('service::queue'),
      mayConsume: () => around.process.current !== 'STARTING',
      observer: countJobs(metrics, driver),
    },
    config,
  );
  if (driver !== 'none') {
    startup.needs({ name: part, connect: () => queue.connect() });
    health.register({ part, severity, check: () => queue.health() });
    showDepths(queue, metrics);
  }
  shutdown.onShutdown('flush', part, () => queue.drain(), { bound: 'queue' });
  shutdown.onShutdown('disconnect', part, () => queue.close());
  return queue;
}

const opened = (
  wanted: Token<Queue>,
  part: Part,
  driverOf: (config: Config) => string,
): FactoryProvider<Queue> =>
  provider(wanted, { ...RUNTIME, severity: optional(QUEUE_SEVERITY) }, (around) =>
    openProcessQueue(part, driverOf(around.config), around),
  );

/** The queue of `queue.driver`, for the whole process. Needs `RuntimeModule`. */
@Global()
@Module({ providers: [opened(QUEUE, 'queue', ({ queue }) => queue.driver)], exports: [QUEUE] })
export class QueueModule {
  /** For processes that depend on their queue, like a webhook worker: `/up` answers 503 when it is unavailable. */
  static forWorker(): DynamicModule {
    return { module: QueueModule, providers: [{ provide: QUEUE_SEVERITY, useValue: 'critical' }] };
  }
}

/** The queue of `push.queue_driver`, with the settings of `queue`. Needs `RuntimeModule`. */
@Global()
@Module({
  providers: [opened(PUSH_QUEUE, 'push queue', ({ push }) => push.queue_driver)],
  exports: [PUSH_QUEUE],
})
export class PushQueueModule {
  /** For a push worker: `/up` answers 503 when its queue is unavailable. */
  static forWorker(): DynamicModule {
    return { module: PushQueueModule, providers: [{ provide: QUEUE_SEVERITY, useValue: 'critical' }] };
  }
}
