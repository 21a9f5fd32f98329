import { pause, provider, RUNTIME, type RuntimeParts, token } from '@carillon/runtime';
import { Global, Module } from '@nestjs/common';
import { openBroker } from './drivers.js';
import type { LaneBroker } from './lanes/port.js';
import type { OpenedBroker } from './port.js';

/** Token of the `Broker`. */
export const BROKER = token<OpenedBroker>('broker');
export const LANE_BROKER = token<LaneBroker>('lane broker');

const PART = 'adapter';

async function requireHealthy(broker: OpenedBroker): Promise<void> {
  const problem = await broker.health();
  if (problem !== null) throw new Error(problem);
}

/** A broker that is well needs some steps until the broker hears itself: those are no fault that is worth a line. */
const BEGINNING_MS = 2000;
const LOOK_EVERY_MS = 20;

async function reached(broker: OpenedBroker, signal: AbortSignal): Promise<void> {
  const untilMs = performance.now() + BEGINNING_MS;
  while (performance.now() < untilMs && !signal.aborted) {
    if ((await broker.health()) === null) return;
    await pause(LOOK_EVERY_MS, signal);
  }
  await requireHealthy(broker);
}

/**
 * Ties a broker client to the life cycle of the process: connected at start, checked by `/up`, closed after the
 * farewell.
 */
async function brokerOfProcess(parts: RuntimeParts): Promise<OpenedBroker> {
  const { config, logging, metrics, startup, health, shutdown } = parts;
  const log = logging.for('service::adapter');
  const broker = await openBroker({
    config,
    metrics,
    log,
    // A warning, because warnings are limited: a fault may return with every event.
    onFault: (doing, error) => log.warn('broker listener failed', { doing, error }),
  });
  const check = (): Promise<void> => requireHealthy(broker);
  startup.needs({ name: PART, connect: (signal) => reached(broker, signal) });
  health.register({ part: PART, severity: 'critical', check });
  shutdown.onShutdown('leave', PART, () => broker.close());
  return broker;
}

/** The broker of `adapter.driver` and its lanes' side, for the whole process. Needs `RuntimeModule`. */
@Global()
@Module({
  providers: [
    provider(BROKER, RUNTIME, brokerOfProcess),
    provider(LANE_BROKER, { broker: BROKER }, ({ broker }) => broker.lanes),
  ],
  exports: [BROKER, LANE_BROKER],
})
export class BrokerModule {}
