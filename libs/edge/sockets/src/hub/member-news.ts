import { ONLINE_USERS, type PresenceChange } from '@carillon/presence';
import { memberAdded, memberRemoved, type OutboundFrame } from '@carillon/protocol';
import type { WebhookEvents } from '@carillon/webhooks';
import type { Announcements } from '../delivery/announcements.js';
import type { Watchlists } from '../users/watchlists.js';
import type { Hubs } from './hubs.js';

/** What telling works with. */
export interface MemberNewsParts {
  readonly hubs: Hubs;
  readonly announcements: Pick<Announcements, 'announce'>;
  readonly watchlists: Pick<Watchlists, 'changed'>;
  readonly webhooks: WebhookEvents;
}

/** Tells what presence decided in this process to everybody it concerns, wherever they are. */
export class MemberNews {
  constructor(private readonly parts: MemberNewsParts) {}

  changed(change: PresenceChange): void {
    const { hubs, webhooks, watchlists } = this.parts;
    const { appId, channel } = change;
    if (channel === ONLINE_USERS) return watchlists.changed(change);
    // A lease may outlast everything else that the app had here.
    const app = hubs.find(appId)?.app ?? appId;
    if (change.kind === 'added') {
      const { userId } = change.member;
      this.#announce(change, userId, memberAdded(channel, change.member), change.socketId);
      webhooks.memberAdded(app, channel, userId);
    } else if (change.kind === 'removed') {
      this.#announce(change, change.userId, memberRemoved(channel, change.userId), null);
      webhooks.memberRemoved(app, channel, change.userId);
    }
  }

  #announce(
    { appId, channel, kind, serial }: PresenceChange,
    userId: string,
    frame: OutboundFrame,
    exceptSocketId: string | null,
  ): void {
    const standing = { userId, isPresent: kind === 'added', serial };
    this.parts.announcements.announce({ appId, channel, frame, exceptSocketId, standing });
  }
}
