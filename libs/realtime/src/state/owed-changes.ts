import type { ChannelCountChange, OwedChange, Owing, PresenceChange } from '@carillon/presence';
import type { PlaceChange, WebhookEvents } from '@carillon/webhooks';
import type { Hubs } from '../apps/hubs.js';
import { hasUsers } from './has-users.js';

/** Converts a change to the form in which webhooks receive it. */
export function placeChange(change: ChannelCountChange | PresenceChange): PlaceChange {
  const { serial, owed } = change;
  const isAgain = 'isAgain' in change && change.isAgain === true;
  return { serial, isAgain, ...(owed && { settle: () => owed.settle() }) };
}

export interface OwedChangesParts {
  readonly hubs: Pick<Hubs, 'find'>;
  readonly webhooks: WebhookEvents;
}

/** Stores changes for webhooks until their events are queued, and passes on those of a crashed node. */
export class OwedChanges implements Owing {
  constructor(private readonly parts: OwedChangesParts) {}

  isOwed(appId: string, channel: string | null): boolean {
    if (channel === null) return this.parts.webhooks.follows(appId, 'occupancy');
    return hasUsers(channel) && this.parts.webhooks.follows(appId, 'members');
  }

  recovered({ kind, appId, channel, userId, serial, owed }: OwedChange): void {
    const { hubs, webhooks } = this.parts;
    const app = hubs.find(appId)?.app ?? appId;
    const change = { serial, isRecovered: true, settle: () => owed.settle() };
    if (userId === null) {
      if (kind === 'added') webhooks.channelOccupied(app, channel, change);
      else webhooks.channelVacated(app, channel, change);
    } else if (kind === 'added') webhooks.memberAdded(app, channel, userId, change);
    else webhooks.memberRemoved(app, channel, userId, change);
  }
}
