import { showsTags } from '@carillon/delta';
import type { AppHub, Hub } from '@carillon/realtime';

/** Whether subscribers get the tags of what is published on a channel. Filters see them either way. */
export class Tags {
  constructor(
    /** What holds for all channels; false: nobody gets any. */
    private readonly areOn: boolean,
    private readonly hub: Pick<Hub, 'hubs'>,
  ) {}

  areShown(of: AppHub, channel: string): boolean {
    if (!this.areOn) return false;
    // The place of an app may have been given up and made again since a connection came.
    const { app } = this.hub.hubs.find(of.appId) ?? of;
    return showsTags(channel, app.record.policy.channels.channel_delta_compression);
  }
}
