import { setTimeout as pause } from 'node:timers/promises';
import type { FabricOptions } from '../fabric-options.js';
import type { OpenedFabric } from '../port.js';
import { LocalFabric } from './local.js';

const REMIND_EVERY_MS = 60_000;
const TRY_EVERY_MS = 200;

/** Local broker of a process whose configured broker was unreachable at start; logs a reminder. */
class FallbackFabric extends LocalFabric {
  readonly #reminder: NodeJS.Timeout;

  constructor(nodeId: string, { onFault, log }: FabricOptions) {
    super(nodeId, onFault);
    const remind = (): void => log.warn('running alone: the broker was not reachable at start');
    remind();
    this.#reminder = setInterval(remind, REMIND_EVERY_MS);
  }

  override close(): Promise<void> {
    clearInterval(this.#reminder);
    return super.close();
  }
}

/** The fabric, once it is healthy; one of this process alone when it is not within the start-up time. */
export async function orLocal(fabric: OpenedFabric, options: FabricOptions): Promise<OpenedFabric> {
  const deadlineMs = performance.now() + options.config.startup_timeout_ms;
  while ((await fabric.health()) !== null) {
    if (performance.now() > deadlineMs) {
      await fabric.close();
      return new FallbackFabric(fabric.nodeId, options);
    }
    await pause(TRY_EVERY_MS);
  }
  return fabric;
}
