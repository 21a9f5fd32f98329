import type { App } from '@carillon/app-registry';
import type { ErrorCode } from '@carillon/errors';
import type { ConnectionQuota } from '@carillon/presence';
import type { Admission } from '@carillon/runtime';
import type { Hubs } from '../apps/hubs.js';
import type { Subscriber } from '../subscriber/subscriber.js';

/** Dependencies of `ConnectionSlots`. */
export interface PlacesParts {
  readonly admission: Admission;
  readonly hubs: Hubs;
  /**
   * Counts the connections of an app over all processes; null: this is the only process, and its own count suffices.
   */
  readonly quota: ConnectionQuota | null;
  /** Limit of connections of this process; 0: unlimited. */
  readonly maxConnections: number;
}

/** Enforces connection limits of the process and of each app, for all protocols. */
export class ConnectionSlots {
  constructor(private readonly parts: PlacesParts) {}

  /**
   * Acquires a connection slot of the app across all processes; null if the app has no limit or there is no shared
   * quota, and `full` alone decides.
   */
  take({ id, limits }: App): Promise<boolean> | null {
    const { quota } = this.parts;
    return quota === null || !Number.isFinite(limits.maxConnections)
      ? null
      : quota.take(id, limits.maxConnections);
  }

  /**
   * Returns why a connection of the app must be refused: memory, then the node's quota, then the app's; null: it may
   * be admitted.
   */
  full(app: App): ErrorCode | null {
    const { admission, hubs, maxConnections } = this.parts;
    if (admission.state() === 'MEMORY_PRESSURE') {
      admission.countRejection();
      return 'over_capacity';
    }
    if (maxConnections > 0 && hubs.connections >= maxConnections) return 'over_capacity';
    const taken = hubs.find(app.id)?.size ?? 0;
    return taken >= app.limits.maxConnections ? 'over_connection_quota' : null;
  }

  /** Releases the slot of a subscriber that is not admitted. */
  giveBack(subscriber: Subscriber): void {
    this.release(subscriber);
    this.parts.hubs.release(subscriber.hub);
  }

  /** Releases a slot of the app acquired for a subscriber that was never created. */
  giveUp({ id }: App): void {
    this.parts.quota?.release(id);
  }

  /** Releases the subscriber's slot, if it has one. */
  release(subscriber: Subscriber): void {
    if (subscriber.holdsPlace) this.parts.quota?.release(subscriber.hub.appId);
    subscriber.holdsPlace = false;
  }
}
