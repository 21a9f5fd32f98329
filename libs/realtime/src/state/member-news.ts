import type { App } from '@carillon/app-registry';
import { ONLINE_USERS, type PresenceChange } from '@carillon/presence';
import { JsonText, type WebhookEvents } from '@carillon/webhooks';
import type { PresenceMember } from '@carillon/protocol';
import type { Hubs } from '../apps/hubs.js';
import type { MetaWatch } from '../meta/meta-watch.js';
import type { Watchlists } from '../users/watchlists.js';
import type { Announcements } from './announcements.js';
import { hasUsers } from './has-users.js';
import { placeChange } from './owed-changes.js';

/** Dependencies of `MemberNews`. */
export interface MemberNewsParts {
  readonly hubs: Hubs;
  readonly announcements: Pick<Announcements, 'announce'>;
  readonly metaWatch: Pick<MetaWatch, 'announce'>;
  readonly watchlists: Pick<Watchlists, 'changed'>;
  readonly webhooks: WebhookEvents;
}

/** Announces presence changes decided in this process to all affected subscribers in all processes. */
export class MemberNews {
  constructor(private readonly parts: MemberNewsParts) {}

  changed(change: PresenceChange): void {
    const { hubs, webhooks, watchlists, announcements, metaWatch } = this.parts;
    const { appId, channel, serial } = change;
    if (channel === ONLINE_USERS) return watchlists.changed(change);
    // A lease may outlast all other state of the app in this process.
    const app = hubs.find(appId)?.app ?? appId;
    if (change.kind === 'added') {
      const { member, socketId: exceptSocketId } = change;
      const fact = { kind: 'member_added', channel, member, serial } as const;
      announcements.announce({ appId, channel, fact, exceptSocketId });
      if (!hasUsers(channel)) return;
      metaWatch.announce(appId, channel, fact);
      webhooks.memberAdded(app, channel, member.userId, placeChange(change));
    } else if (change.kind === 'updated') {
      const { member, after } = change;
      const chain = after === undefined ? {} : { after };
      const fact = { kind: 'member_updated', channel, member, ...chain, serial } as const;
      announcements.announce({ appId, channel, fact, exceptSocketId: null });
      if (!hasUsers(channel)) return;
      metaWatch.announce(appId, channel, fact);
      this.#tellUpdated(app, channel, member);
    } else if (change.kind === 'removed') {
      const { userId, userInfoText, cameBy: socketId, after } = change;
      const said = { ...(userInfoText !== null && { userInfoText }), ...(after !== undefined && { after }) };
      const fact = { kind: 'member_removed', channel, userId, ...said, socketId, serial } as const;
      announcements.announce({ appId, channel, fact, exceptSocketId: null });
      if (!hasUsers(channel)) return;
      metaWatch.announce(appId, channel, fact);
      webhooks.memberRemoved(app, channel, change.userId, placeChange(change));
    }
  }

  #tellUpdated(app: App | string, channel: string, { userId, userInfoText }: PresenceMember): void {
    this.parts.webhooks.emit(app, {
      name: 'member_updated',
      channel,
      user_id: userId,
      user_info: new JsonText(userInfoText),
    });
  }
}
