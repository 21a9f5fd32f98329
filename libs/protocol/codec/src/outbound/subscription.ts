import type { FrameError } from '../frame-error.js';
import { EMPTY_IN_STRING, inString } from './in-string.js';
import type { OutboundFrame } from './frame.js';
import { rosterText, type PresenceMember } from './presence.js';

const SUCCEEDED = 'service_internal:subscription_succeeded';

/** A channel without members is joined. */
export function subscriptionSucceeded(channel: string): OutboundFrame {
  return { event: SUCCEEDED, channel, dataText: EMPTY_IN_STRING };
}

/** A presence channel is joined: all its users in order of first join, the new one included, each once. */
export function presenceSubscriptionSucceeded(
  channel: string,
  members: readonly PresenceMember[],
): OutboundFrame {
  return { event: SUCCEEDED, channel, dataText: inString(`{"presence":${rosterText(members)}}`) };
}

/** 401: signature missing or wrong; 403: denied; 400: the request is wrong; 503: may succeed later. */
export type SubscriptionErrorStatus = 400 | 401 | 403 | 503;

/** The frame after an error frame by which client libraries fail the right channel. */
export function subscriptionError(
  channel: string,
  error: Pick<FrameError, 'code' | 'message'>,
  status: SubscriptionErrorStatus,
  reason?: 'removed',
): OutboundFrame {
  const refused = error.code === 4009 ? 'AuthError' : 'SubscriptionError';
  const type = reason === 'removed' ? 'Removed' : refused;
  const data = { type, error: error.message, status, code: error.code };
  return { event: 'service:subscription_error', channel, dataText: JSON.stringify(data) };
}

/** A cache channel has no last event to show. */
export function cacheMiss(channel: string): OutboundFrame {
  return { event: 'service:cache_miss', channel, dataText: EMPTY_IN_STRING };
}

/** Number of subscribed sockets of the channel, for its subscribers. */
export function subscriptionCount(channel: string, count: number): OutboundFrame {
  const data = { subscription_count: count };
  return { event: 'service_internal:subscription_count', channel, dataText: inString(JSON.stringify(data)) };
}
