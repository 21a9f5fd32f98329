import type { AppRegistry } from '@carillon/app-registry';
import type { Channels, RecoveryPolicy } from '@carillon/channels';
import type { Broker } from '@carillon/broker';
import type { ReadTurns } from '@carillon/history-reader';
import type { StreamAddress } from '@carillon/history-store';
import { ONLINE_USERS, type PresenceChange } from '@carillon/presence';
import type { Commits } from '@carillon/history-publish';
import type { Replay } from '@carillon/history-positions';
import type { Metrics } from '@carillon/runtime';
import type { Delivery } from '../delivery/delivery.js';
import type { Hubs } from '../apps/hubs.js';
import { DurableDelivery } from './durable-delivery.js';
import { ColdArchive, HotArchive } from '../recovery/archives.js';
import { Past } from '../recovery/past.js';
import { Positions } from '../recovery/positions.js';
import { Replays } from '../recovery/replays.js';
import { PresenceLog } from './presence-log.js';
import type { PatternBook } from '../patterns/pattern-book.js';
import { SequencedDelivery } from './sequenced-delivery.js';
import type { Head } from './stream-order.js';
import type { StreamReads } from './stream-reads.js';

/** Dependencies of `Durable`. */
export interface DurableParts {
  readonly hubs: Hubs;
  readonly apps: AppRegistry;
  readonly channels: Channels;
  readonly delivery: Delivery;
  readonly patterns: Pick<PatternBook, 'covered'>;
  readonly broker: Pick<Broker, 'nodeId'>;
  /** Null: this process cannot read streams. */
  readonly streamReads: StreamReads | null;
  readonly readTurns: ReadTurns | null;
  /** Null: this process cannot commit. */
  readonly commits: Commits | null;
  /** Limit of a frame if the app defines none; 0: unlimited. */
  readonly maxFrameBytes: number;
  /** Null: this process has no sequencer. */
  readonly replay: Replay | null;
  readonly metrics: Metrics;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** The sockets' part in channels with streams: delivers records in order, and records presence changes. */
export class Durable {
  readonly delivery: DurableDelivery;
  /** Null if ephemeral events have no serials. */
  readonly sequenced: SequencedDelivery | null;
  readonly past: Past;
  readonly positions: Positions;
  readonly replays: Replays;
  readonly #presence: PresenceLog | null;

  constructor(private readonly parts: DurableParts) {
    const { streamReads: reads, commits, broker, metrics } = parts;
    const nodeId = (): string => broker.nodeId;
    const failures = metrics.counter('presence_history_write_failures_total');
    const lost = (app_id: string): void => failures.for({ app_id }).add();
    const { replay, hubs, channels } = parts;
    const policyOf = (appId: string): RecoveryPolicy | null => {
      const app = hubs.find(appId)?.app;
      return app === undefined ? null : channels.recovery(app);
    };
    const past = new Past(policyOf);
    const givenUp = (address: StreamAddress, at: Head): void => this.#givenUp(address, at);
    const shared = { ...parts, past, givenUp };
    this.past = past;
    this.delivery = new DurableDelivery({ ...shared, reads, nodeId });
    this.sequenced = replay === null ? null : new SequencedDelivery({ ...shared, replay });
    const positions = new Positions({ durable: this.delivery, sequenced: this.sequenced, past });
    this.positions = positions;
    const { onTrouble } = parts;
    const hot = replay === null ? null : new HotArchive(replay, onTrouble);
    const cold = reads === null ? null : new ColdArchive(reads, onTrouble, parts.readTurns);
    this.replays = new Replays({
      positions,
      past,
      archiveOf: ({ about: { policy } }) => (policy.history.enabled ? cold : hot),
      onTrouble,
    });
    this.#presence = commits === null ? null : new PresenceLog({ ...parts, commits, reads, nodeId, lost });
  }

  presenceChanged(change: PresenceChange): void {
    const { appId, channel } = change;
    if (channel === ONLINE_USERS) return;
    // A lease may outlast all other state of the app in this process.
    this.#presence?.changed(this.parts.hubs.find(appId)?.app ?? appId, change);
  }

  /** The broker is reachable again: fetches records missed meanwhile. */
  inReachAgain(): void {
    this.delivery.inReachAgain();
    this.sequenced?.streams.compare();
  }

  /** The last pattern subscription of the app ended. */
  noPatterns(appId: string): void {
    this.delivery.noPatterns(appId);
    this.sequenced?.noPatterns(appId);
  }

  stop(): void {
    this.delivery.stop();
    this.sequenced?.streams.stop();
    this.#presence?.stop();
  }

  /** Reports to subscribers that use serials that some are permanently missing. */
  #givenUp({ appId, channel }: StreamAddress, { streamId, next }: Head): void {
    this.parts.delivery.lost(appId, channel, { streamId, serial: next - 1 });
  }
}
