import { setTimeout as pause } from 'node:timers/promises';
import type { BrokerOptions } from '../broker-options.js';
import type { OpenedBroker } from '../port.js';
import { LocalBroker } from './local.js';

const REMIND_EVERY_MS = 60_000;
const TRY_EVERY_MS = 200;

/** Local broker of a process whose configured broker was unreachable at start; logs a reminder. */
class FallbackBroker extends LocalBroker {
  readonly #reminder: NodeJS.Timeout;

  constructor(nodeId: string, { onFault, log }: BrokerOptions) {
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

/** The broker, once it is healthy; one of this process alone when it is not within the start-up time. */
export async function orLocal(broker: OpenedBroker, options: BrokerOptions): Promise<OpenedBroker> {
  const deadlineMs = performance.now() + options.config.startup_timeout_ms;
  while ((await broker.health()) !== null) {
    if (performance.now() > deadlineMs) {
      await broker.close();
      return new FallbackBroker(broker.nodeId, options);
    }
    await pause(TRY_EVERY_MS);
  }
  return broker;
}
