import { CHANNEL_KINDS, kindOf } from '@carillon/channels';

/** Whether members of the channel are users. Those of other channels are connections of one protocol, known to its clients alone. */
export const hasUsers = (channel: string): boolean => CHANNEL_KINDS[kindOf(channel)].members;
