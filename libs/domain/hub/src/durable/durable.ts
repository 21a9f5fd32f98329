import type { AppRegistry } from '@carillon/app-registry';
import type { Channels } from '@carillon/channels';
import type { Fabric } from '@carillon/fabric';
import { ONLINE_USERS, type PresenceChange } from '@carillon/presence';
import type { Commits } from '@carillon/publishing';
import type { Metrics } from '@carillon/runtime';
import type { Delivery } from '../delivery/delivery.js';
import type { Hubs } from '../apps/hubs.js';
import { DurableDelivery } from './durable-delivery.js';
import { PresenceLog } from './presence-log.js';
import type { PatternBook } from '../patterns/pattern-book.js';
import type { StreamReads } from './stream-reads.js';

/** What sockets do for channels with a history work with. */
export interface DurableParts {
  readonly hubs: Hubs;
  readonly apps: AppRegistry;
  readonly channels: Channels;
  readonly delivery: Delivery;
  readonly patterns: Pick<PatternBook, 'covers'>;
  readonly fabric: Pick<Fabric, 'nodeId'>;
  /** Null: this process has no way to streams. */
  readonly streamReads: StreamReads | null;
  /** Null: this process cannot commit. */
  readonly commits: Commits | null;
  readonly metrics: Metrics;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** What sockets do for channels with a history: deliver their records in order, and keep who comes and goes. */
export class Durable {
  readonly delivery: DurableDelivery;
  readonly #presence: PresenceLog | null;

  constructor(private readonly parts: DurableParts) {
    const { streamReads: reads, commits, fabric, metrics } = parts;
    const nodeId = (): string => fabric.nodeId;
    const failures = metrics.counter('presence_history_write_failures_total');
    const lost = (app_id: string): void => failures.for({ app_id }).add();
    this.delivery = new DurableDelivery({ ...parts, reads, nodeId });
    this.#presence = commits === null ? null : new PresenceLog({ ...parts, commits, reads, nodeId, lost });
  }

  presenceChanged(change: PresenceChange): void {
    const { appId, channel } = change;
    if (channel === ONLINE_USERS) return;
    // A lease may outlast everything else that the app had here.
    this.#presence?.changed(this.parts.hubs.find(appId)?.app ?? appId, change);
  }

  stop(): void {
    this.delivery.stop();
    this.#presence?.stop();
  }
}
