import type { Presence } from '@carillon/presence';
import type { Attendance } from '@carillon/webhooks';
import type { Hubs } from './hub/hubs.js';

/** What webhooks ask of this process before they say that somebody has gone. */
export function attendance(hubs: Hubs, presence: Presence): Attendance {
  return {
    subscribers: (appId, channel) => hubs.find(appId)?.channels.get(channel)?.count ?? 0,
    isPresent: async (appId, channel, userId) =>
      (await presence.present({ appId, channel }, [userId])).has(userId),
  };
}
