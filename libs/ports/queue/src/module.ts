import type { Config } from '@carillon/config';
import {
  CONFIG,
  HEALTH,
  type Health,
  LOGGING,
  type Logging,
  METRICS_REGISTRY,
  type Metrics,
  PROCESS_STATE,
  type ProcessState,
  type Severity,
  SHUTDOWN,
  type Shutdown,
  STARTUP,
  type Startup,
} from '@carillon/runtime';
import { type DynamicModule, type FactoryProvider, Global, Module } from '@nestjs/common';
import { openQueue } from './drivers.js';
import { countJobs, showDepths } from './metrics.js';
import type { Queue } from './port.js';

/** Token of the `Queue`. */
export const QUEUE = Symbol('queue');
/** Token of what an unreachable broker means for the process; without a provider it is a degradation. */
const QUEUE_SEVERITY = Symbol('queue severity');

/** Token of the `Queue` of push, which may be another one. */
export const PUSH_QUEUE = Symbol('push queue');

interface Surroundings {
  readonly part: 'queue' | 'push queue';
  readonly driver: string;
  readonly config: Config;
  readonly logging: Logging;
  readonly metrics: Metrics;
  readonly state: ProcessState;
  readonly startup: Startup;
  readonly health: Health;
  readonly shutdown: Shutdown;
  readonly severity: Severity;
}

/** A queue tied to the life of the process: connected at start, worked on once it runs, given back at the stop. */
async function openProcessQueue(around: Surroundings): Promise<Queue> {
  const { part, driver, config, logging, metrics, state, startup, health, shutdown, severity } = around;
  const { reliability } = config.queue;
  const queue = await openQueue(
    driver,
    {
      reliability,
      log: logging.for('service::queue'),
      mayConsume: () => state.current !== 'STARTING',
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

const provider = (
  token: symbol,
  part: 'queue' | 'push queue',
  driverOf: (config: Config) => string,
): FactoryProvider<Queue> => ({
  provide: token,
  inject: [
    CONFIG,
    LOGGING,
    METRICS_REGISTRY,
    PROCESS_STATE,
    STARTUP,
    HEALTH,
    SHUTDOWN,
    { token: QUEUE_SEVERITY, optional: true },
  ],
  useFactory: (
    config: Config,
    logging: Logging,
    metrics: Metrics,
    state: ProcessState,
    startup: Startup,
    health: Health,
    shutdown: Shutdown,
    severity: Severity = 'non-critical',
  ) => {
    const around = { config, logging, metrics, state, startup, health, shutdown, severity };
    return openProcessQueue({ ...around, part, driver: driverOf(config) });
  },
});

/** The queue of `queue.driver`, for the whole process. Needs `RuntimeModule`. */
@Global()
@Module({ providers: [provider(QUEUE, 'queue', ({ queue }) => queue.driver)], exports: [QUEUE] })
export class QueueModule {
  /** For a process that is nothing without its queue, as a webhook worker: `/up` answers 503 when it is away. */
  static forWorker(): DynamicModule {
    return { module: QueueModule, providers: [{ provide: QUEUE_SEVERITY, useValue: 'critical' }] };
  }
}

/** The queue of `push.queue_driver`, with the settings of `queue`. Needs `RuntimeModule`. */
@Global()
@Module({
  providers: [provider(PUSH_QUEUE, 'push queue', ({ push }) => push.queue_driver)],
  exports: [PUSH_QUEUE],
})
export class PushQueueModule {
  /** For a push worker: `/up` answers 503 when its queue is away. */
  static forWorker(): DynamicModule {
    return { module: PushQueueModule, providers: [{ provide: QUEUE_SEVERITY, useValue: 'critical' }] };
  }
}
