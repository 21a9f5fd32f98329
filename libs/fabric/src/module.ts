import type { Config } from '@carillon/config';
import {
  CONFIG,
  HEALTH,
  type Health,
  LOGGING,
  type Logging,
  SHUTDOWN,
  type Shutdown,
} from '@carillon/runtime';
import { Global, Module } from '@nestjs/common';
import { openFabric } from './drivers.js';
import { newNodeId } from './node-id.js';
import type { Fabric } from './port.js';

/** Token of the `Fabric`. */
export const FABRIC = Symbol('fabric');

const PART = 'adapter';

/** A fabric tied to the life of the process: checked by `/up`, left when the other nodes have been told. */
async function fabricOfProcess(
  config: Config,
  logging: Logging,
  health: Health,
  shutdown: Shutdown,
): Promise<Fabric> {
  const log = logging.for('service::adapter');
  const fabric = await openFabric(config.adapter.driver, {
    nodeId: newNodeId(config.instance.process_id),
    // A warning, because warnings are limited: a fault may return with every event.
    onFault: (doing, error) => log.warn('fabric listener failed', { doing, error }),
  });
  health.register({
    part: PART,
    severity: 'critical',
    check: async () => {
      const problem = await fabric.health();
      if (problem !== null) throw new Error(problem);
    },
  });
  shutdown.onShutdown('leave', PART, () => fabric.close());
  return fabric;
}

/** The fabric of `adapter.driver`, for the whole process. Needs `RuntimeModule`. */
@Global()
@Module({
  providers: [{ provide: FABRIC, inject: [CONFIG, LOGGING, HEALTH, SHUTDOWN], useFactory: fabricOfProcess }],
  exports: [FABRIC],
})
export class FabricModule {}
