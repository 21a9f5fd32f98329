import type { ChannelCounts, Presence } from '@carillon/presence';
import type { Attendance } from '@carillon/webhooks';

/** Current presence and counts, which webhooks check before they report a departure. */
export function attendance(counts: ChannelCounts, presence: Presence): Attendance {
  return {
    isOccupied: async (appId, channel) => {
      const [count = 0] = await counts.counts(appId, [channel]);
      return count > 0;
    },
    isPresent: async (appId, channel, userId) =>
      (await presence.present({ appId, channel }, [userId])).has(userId),
  };
}
