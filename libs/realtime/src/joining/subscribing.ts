import type { Channels } from '@carillon/channels';
import type { Config } from '@carillon/config';
import type { Broker } from '@carillon/broker';
import type { Presence } from '@carillon/presence';
import type { LastEvents } from '@carillon/history-publish';
import type { LoopShare, Metrics } from '@carillon/runtime';
import type { WebhookEvents } from '@carillon/webhooks';
import type { Hubs } from '../apps/hubs.js';
import { ChannelBook } from '../channels/channel-book.js';
import { ordinaryChannel } from '../channels/ordinary.js';
import type { Arrivals } from '../delivery/arrivals.js';
import type { Outlet } from '../delivery/outlet.js';
import type { StreamReads } from '../durable/stream-reads.js';
import { Leaving } from '../leave/leaving.js';
import { recoveryCounts } from '../recovery/recovery-counts.js';
import { ReplaySlots } from '../recovery/replay-slots.js';
import { Resumes } from '../recovery/resumes.js';
import type { PastReader } from '../recovery/rewind-selection.js';
import { Rewinds } from '../recovery/rewinds.js';
import { maxSubscriptions } from '../settings.js';
import type { State } from '../state/state.js';
import { Joins } from './joins.js';
import { NewestEvents } from './newest-event.js';

/** Dependencies of `Subscribing`. */
export interface SubscribingParts {
  readonly config: Config;
  readonly broker: Broker;
  readonly presence: Presence;
  readonly streamReads: StreamReads | null;
  readonly pastReader: PastReader | null;
  readonly share: LoopShare;
  readonly lastEvents: LastEvents;
  readonly webhooks: WebhookEvents;
  readonly metrics: Metrics;
  readonly hubs: Hubs;
  readonly channels: Channels;
  readonly outlet: Outlet;
  readonly arrivals: Arrivals;
  readonly state: State;
  readonly isAlone: boolean;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Subscribes to channels, resumes subscriptions, and ends them. */
export class Subscribing {
  readonly joins: Joins;
  readonly resumes: Resumes;
  readonly leaving: Leaving;
  readonly book: ChannelBook;

  constructor(parts: SubscribingParts) {
    const { config, arrivals, state, isAlone } = parts;
    const { positions } = arrivals.durable;
    const book = new ChannelBook(
      parts.hubs,
      parts.broker,
      arrivals.ways,
      positions,
      state.metaWatch,
      isAlone,
    );
    book.observe((channel) => state.tally.changed(channel));
    const leaving = leavingOf(parts, book);
    const slots = new ReplaySlots();
    const resumes = resumesOf(parts, slots);
    this.book = book;
    this.leaving = leaving;
    this.resumes = resumes;
    this.joins = new Joins({
      ...parts,
      ...pastOf(parts, slots),
      book,
      leaving,
      resumes,
      positions,
      identities: state.identities,
      looks: state.looks,
      maxSubscriptions: maxSubscriptions(config),
      joinWithinMs: config.adapter.interest.confirm_timeout_ms,
    });
  }

  stop(): void {
    this.book.stop();
  }
}

function leavingOf(parts: SubscribingParts, book: ChannelBook): Leaving {
  const { config, arrivals, state, isAlone } = parts;
  const { identities, watchlists } = state;
  return new Leaving({
    ...parts,
    book,
    patterns: arrivals.patterns,
    identities,
    watchlists,
    // Without other processes no node could end an orphaned lease, and clients cannot be sent elsewhere.
    elsewhereLeaseMs: isAlone ? 0 : config.presence.node_stop_timeout_seconds * 1000,
  });
}

function resumesOf(parts: SubscribingParts, slots: ReplaySlots): Resumes {
  const { channels, metrics } = parts;
  const { ways, durable } = parts.arrivals;
  return new Resumes({
    ...parts,
    ...recoveryCounts(metrics),
    slots,
    replays: durable.replays,
    textOf: ways.appends.text,
    canBePlaced: (of, name) => ordinaryChannel(channels, of, name) !== null,
  });
}

/** Returns the source of channel history for rewinds. */
function pastOf(
  parts: SubscribingParts,
  slots: ReplaySlots,
): { newestEvents: NewestEvents; rewinds: Rewinds } {
  const { config, arrivals, streamReads: reads, pastReader: reader } = parts;
  const { positions } = arrivals.durable;
  const lifeMs = config.channel_limits.cache_ttl * 1000;
  return {
    newestEvents: new NewestEvents({ ...parts, positions, reads, lifeMs }),
    rewinds: new Rewinds({ ...parts, slots, reader, maxPageSize: config.history.max_page_size }),
  };
}
