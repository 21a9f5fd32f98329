import type { OnListenerFault } from './listener-fault.js';
import type { Fabric } from './port.js';

/** What every driver needs to know. */
export interface FabricOptions {
  /** From `newNodeId`. */
  readonly nodeId: string;
  readonly onFault: OnListenerFault;
}

type OpenFabric = (options: FabricOptions) => Promise<Fabric>;

/** One line a driver; its client library is loaded when it is chosen, and only then. */
const DRIVERS: ReadonlyMap<string, OpenFabric> = new Map([
  [
    'local',
    async ({ nodeId, onFault }) => new (await import('./drivers/local.js')).LocalFabric(nodeId, onFault),
  ],
]);

/** Values of `adapter.driver` that this build can serve. */
export const FABRIC_DRIVERS: readonly string[] = [...DRIVERS.keys()];

/** A fabric nobody listens to yet. Rejects when this build has no such driver. */
export async function openFabric(driver: string, options: FabricOptions): Promise<Fabric> {
  const open = DRIVERS.get(driver);
  if (open === undefined) throw new Error(`driver ${driver} is not available in this build`);
  return open(options);
}
