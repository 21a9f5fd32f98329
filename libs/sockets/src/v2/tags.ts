import { showsTags } from '@carillon/delta';
import type { AppHub, Hub } from '@carillon/realtime';

/** Decides whether subscribers receive the tags of messages on a channel. Filters see tags in any case. */
export class Tags {
  constructor(
    /** The setting for all channels; false disables tags everywhere. */
    private readonly areOn: boolean,
    private readonly hub: Pick<Hub, 'hubs'>,
  ) {}

  areShown(of: AppHub, channel: string): boolean {
    if (!this.areOn) return false;
    // The hub of an app may have been released and recreated since the connection was admitted.
    const { app } = this.hub.hubs.find(of.appId) ?? of;
    return showsTags(channel, app.record.policy.channels.channel_delta_compression);
  }
}
