import { ReplayUnavailable } from '../failures.js';
import type { Replay } from '../port.js';

/** Several processes without a shared store: serials cannot be assigned, and every operation rejects. */
export class NoReplay implements Replay {
  readonly isAtOnce = false;

  append(): Promise<never> {
    return refuse();
  }

  heads(): Promise<never> {
    return refuse();
  }

  range(): Promise<never> {
    return refuse();
  }

  renew(): Promise<never> {
    return refuse();
  }

  async health(): Promise<string | null> {
    return null;
  }

  async close(): Promise<void> {
    return;
  }
}

const refuse = async (): Promise<never> => {
  throw new ReplayUnavailable(
    'connection recovery of several processes needs cache.driver redis or redis-cluster',
  );
};
