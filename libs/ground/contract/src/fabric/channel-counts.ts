import { map } from '../codec/composites.js';
import { message, type MessageOf } from '../codec/message.js';
import { flag } from '../codec/primitives.js';
import { appId, channel, count, nodeId } from './fields.js';

/** Most channels in one message; more are split. */
export const MAX_CHANNEL_COUNTS = 10_000;

/** Subscriptions per channel on one node; zero means gone. */
const counts = map(channel, count, MAX_CHANNEL_COUNTS);

/** The channels that changed since the last message. */
export const CHANNEL_COUNTS = message('channel_counts', { node_id: nodeId, app_id: appId, counts });

/** Every channel of the node, in parts. */
export const CHANNEL_COUNTS_FULL = message('channel_counts_full', {
  node_id: nodeId,
  app_id: appId,
  counts,
  /** The first part replaces what the receiver held of the sender for this app. */
  first: flag,
});

export type ChannelCounts = MessageOf<typeof CHANNEL_COUNTS>;
export type ChannelCountsFull = MessageOf<typeof CHANNEL_COUNTS_FULL>;
