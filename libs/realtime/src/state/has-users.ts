import { CHANNEL_KINDS, kindOf } from '@carillon/channels';

/**
 * Whether members of the channel are users. Members of other channels are connections of one protocol, visible to its
 * clients only.
 */
export const hasUsers = (channel: string): boolean => CHANNEL_KINDS[kindOf(channel)].members;
