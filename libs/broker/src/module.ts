import { pause, provider, RUNTIME, type RuntimeParts, token } from '@carillon/runtime';
import { Global, Module } from '@nestjs/common';
import { openFabric } from './drivers.js';
import type { LaneFabric } from './lanes/port.js';
import type { OpenedFabric } from './port.js';

/** Token of the `Fabric`. */
export const FABRIC = token<OpenedFabric>('fabric');
export const LANE_FABRIC = token<LaneFabric>('lane fabric');

const PART = 'adapter';

async function requireHealthy(fabric: OpenedFabric): Promise<void> {
  const problem = await fabric.health();
  if (problem !== null) throw new Error(problem);
}

/** A broker that is well needs some steps until the fabric hears itself: those are no fault that is worth a line. */
const BEGINNING_MS = 2000;
const LOOK_EVERY_MS = 20;

async function reached(fabric: OpenedFabric, signal: AbortSignal): Promise<void> {
  const untilMs = performance.now() + BEGINNING_MS;
  while (performance.now() < untilMs && !signal.aborted) {
    if ((await fabric.health()) === null) return;
    await pause(LOOK_EVERY_MS, signal);
  }
  await requireHealthy(fabric);
}

/**
 * Ties a broker client to the life cycle of the process: connected at start, checked by `/up`, closed after the
 * farewell.
 */
async function fabricOfProcess(parts: RuntimeParts): Promise<OpenedFabric> {
  const { config, logging, metrics, startup, health, shutdown } = parts;
  const log = logging.for('service::adapter');
  const fabric = await openFabric({
    config,
    metrics,
    log,
    // A warning, because warnings are limited: a fault may return with every event.
    onFault: (doing, error) => log.warn('fabric listener failed', { doing, error }),
  });
  const check = (): Promise<void> => requireHealthy(fabric);
  startup.needs({ name: PART, connect: (signal) => reached(fabric, signal) });
  health.register({ part: PART, severity: 'critical', check });
  shutdown.onShutdown('leave', PART, () => fabric.close());
  return fabric;
}

/** The fabric of `adapter.driver` and its lanes' side, for the whole process. Needs `RuntimeModule`. */
@Global()
@Module({
  providers: [
    provider(FABRIC, RUNTIME, fabricOfProcess),
    provider(LANE_FABRIC, { fabric: FABRIC }, ({ fabric }) => fabric.lanes),
  ],
  exports: [FABRIC, LANE_FABRIC],
})
export class FabricModule {}
