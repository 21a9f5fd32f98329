import type { AppRegistry } from '@carillon/app-registry';
import type { Broker } from '@carillon/broker';
import type { ChannelCounts, Presence, PresenceChange } from '@carillon/presence';
import type { WebhookEvents } from '@carillon/webhooks';
import type { AppHub } from '../apps/app-hub.js';
import type { Hubs } from '../apps/hubs.js';
import { MetaWatch } from '../meta/meta-watch.js';
import type { Outlet } from '../delivery/outlet.js';
import { Identities } from '../users/identities.js';
import { Interests } from '../users/interests.js';
import { Watchlists } from '../users/watchlists.js';
import { Announcements } from './announcements.js';
import { attendance } from './attendance.js';
import { PresenceResync } from './presence-resync.js';
import { MemberNews } from './member-news.js';
import { OwedChanges } from './owed-changes.js';
import { SubscriptionCounts } from './subscription-counts.js';
import { Tally } from './tally.js';

/** Dependencies of `State`. */
export interface StateParts {
  readonly hubs: Hubs;
  readonly apps: AppRegistry;
  readonly broker: Broker;
  readonly presence: Presence;
  readonly channelCounts: ChannelCounts;
  readonly webhooks: WebhookEvents;
  readonly outlet: Outlet;
  /** Whether there are no other processes. */
  readonly isAlone: boolean;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/**
 * State of channels and users, and its announcement: members, counts, online users, and the identities of
 * connections.
 */
export class State {
  readonly announcements: Announcements;
  readonly identities: Identities;
  readonly watchlists: Watchlists;
  readonly looks: PresenceResync;
  readonly tally: Tally;
  readonly metaWatch: MetaWatch;
  /** Changes whose webhooks outlive this process. */
  readonly owed: OwedChanges;
  readonly #interests: Interests;
  readonly #counts: SubscriptionCounts;
  readonly #news: MemberNews;

  constructor(parts: StateParts) {
    const { broker, presence, channelCounts: counts, webhooks, onTrouble } = parts;
    const interests = new Interests(broker, onTrouble);
    const announcements = new Announcements(parts);
    const onDoubt = (hub: AppHub): void => this.looks.later(hub);
    const watchlists = new Watchlists({ ...parts, interests, announcements, onDoubt });
    const subscriptionCounts = new SubscriptionCounts({ counts, announcements, onTrouble });
    this.announcements = announcements;
    this.identities = new Identities(interests);
    this.watchlists = watchlists;
    this.looks = new PresenceResync({ ...parts, watchlists, counts });
    const metaWatch = new MetaWatch({ ...parts, announcements });
    this.metaWatch = metaWatch;
    this.owed = new OwedChanges(parts);
    const { owed } = this;
    this.tally = new Tally({ ...parts, counts, subscriptionCounts, metaWatch, owed });
    this.#interests = interests;
    this.#counts = subscriptionCounts;
    this.#news = new MemberNews({ ...parts, announcements, metaWatch, watchlists });
    webhooks.attend(attendance(counts, presence));
  }

  presenceChanged(change: PresenceChange): void {
    this.#news.changed(change);
  }

  stop(): void {
    this.#counts.stop();
    this.metaWatch.stop();
    this.announcements.stop();
    this.looks.stop();
    this.#interests.stop();
  }
}
