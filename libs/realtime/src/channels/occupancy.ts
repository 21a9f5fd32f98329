import { takesClientEvents } from '@carillon/channels';
import type { ChannelOccupancy } from '@carillon/broker';
import type { Roles } from '../codec.js';
import type { LocalChannel } from './local-channel.js';
import { viewsOf } from './views.js';

/** Occupancy of a channel without subscribers in this process. */
export const NOBODY: ChannelOccupancy = {
  connections: 0,
  publishers: 0,
  subscribers: 0,
  presenceConnections: 0,
  presenceSubscribers: 0,
};

/**
 * Counts the connections of a channel in this process by role. Costs O(codecs) plus O(subscribers with several
 * views); each of those counts once.
 */
export function occupancyOf(channel: LocalChannel): ChannelOccupancy {
  const usual = usualRoles(channel);
  const counts = { ...NOBODY };
  for (const { codec, count } of channel.audiences) add(counts, codec.roles ?? usual, count);
  for (const subscriber of channel.several) {
    const subscription = subscriber.subscriptionOf(channel);
    const views = subscription === undefined ? [] : viewsOf(subscription);
    const roles = views.map(({ codec }) => codec.roles ?? usual);
    for (const one of roles) add(counts, one, -1);
    add(counts, allOf(roles), 1);
  }
  return counts;
}

function add(
  counts: { -readonly [Name in keyof ChannelOccupancy]: number },
  { publishes, subscribes, enters, seesMembers }: Roles,
  count: number,
): void {
  counts.connections += count;
  if (publishes) counts.publishers += count;
  if (subscribes) counts.subscribers += count;
  if (enters) counts.presenceConnections += count;
  if (seesMembers) counts.presenceSubscribers += count;
}

/** Combined roles of a subscriber with several views. */
const allOf = (roles: readonly Roles[]): Roles => ({
  publishes: roles.some(({ publishes }) => publishes),
  subscribes: roles.some(({ subscribes }) => subscribes),
  enters: roles.some(({ enters }) => enters),
  seesMembers: roles.some(({ seesMembers }) => seesMembers),
});

/**
 * Default roles: a subscriber of a channel with members is a member, and may publish client events where the app and
 * the channel allow them.
 */
const usualRoles = ({ hub, about }: LocalChannel): Roles => ({
  publishes: hub.rules.clientMessages && takesClientEvents(about),
  subscribes: true,
  enters: about.traits.members,
  seesMembers: about.traits.members,
});
