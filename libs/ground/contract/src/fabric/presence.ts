import { list, object, optional } from '../codec/composites.js';
import { message, type MessageOf } from '../codec/message.js';
import { flag, json } from '../codec/primitives.js';
import { appId, channel, count, nodeId, socketId, userId } from './fields.js';

const member = { user_id: userId, socket_id: socketId, user_info: optional(json) } as const;

/** One node's connection of one user in one channel; `seq` rises per node, and an older one is ignored. */
const change = { node_id: nodeId, app_id: appId, channel, seq: count, ...member } as const;

export const PRESENCE_JOINED = message('presence_joined', change);
export const PRESENCE_LEFT = message('presence_left', change);
export const PRESENCE_UPDATED = message('presence_updated', change);

/** Most channels in one part of a full copy, and most members of one channel in it. */
const PART_CHANNELS = 100_000;
const PART_MEMBERS = 1_000_000;

/** A full copy of one node's presence for one other node, in parts. */
export const PRESENCE_STATE = message('presence_state', {
  node_id: nodeId,
  target_node_id: nodeId,
  /** The sender's sequence when the copy was taken: later changes apply on top. */
  seq: count,
  channels: list(
    object({ app_id: appId, channel, members: list(object(member), 0, PART_MEMBERS) }),
    0,
    PART_CHANNELS,
  ),
  /** The first part replaces what the receiver held of the sender. */
  first: flag,
  last: flag,
});

export type PresenceJoined = MessageOf<typeof PRESENCE_JOINED>;
export type PresenceLeft = MessageOf<typeof PRESENCE_LEFT>;
export type PresenceUpdated = MessageOf<typeof PRESENCE_UPDATED>;
export type PresenceState = MessageOf<typeof PRESENCE_STATE>;
