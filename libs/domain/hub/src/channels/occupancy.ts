import { takesClientEvents } from '@carillon/channels';
import type { ChannelOccupancy } from '@carillon/fabric';
import type { Roles } from '../codec.js';
import type { LocalChannel } from './local-channel.js';

/** Of a channel that nobody here has. */
export const NOBODY: ChannelOccupancy = {
  connections: 0,
  publishers: 0,
  subscribers: 0,
  presenceConnections: 0,
  presenceSubscribers: 0,
};

/** The connections of a channel in this process, by what they may do: as much work as there are codecs, however many they are. */
export function occupancyOf(channel: LocalChannel): ChannelOccupancy {
  const usual = usualRoles(channel);
  const counts = { ...NOBODY };
  for (const { codec, count } of channel.audiences) {
    const { publishes, subscribes, enters, seesMembers } = codec.roles ?? usual;
    counts.connections += count;
    if (publishes) counts.publishers += count;
    if (subscribes) counts.subscribers += count;
    if (enters) counts.presenceConnections += count;
    if (seesMembers) counts.presenceSubscribers += count;
  }
  return counts;
}

/** Who subscribes to a channel with members is one, and may send events where clients may at all. */
const usualRoles = ({ hub, about }: LocalChannel): Roles => ({
  publishes: hub.rules.clientMessages && takesClientEvents(about),
  subscribes: true,
  enters: about.traits.members,
  seesMembers: about.traits.members,
});
