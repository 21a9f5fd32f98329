import type { FrameError } from '../frame-error.js';
import { inString } from './in-string.js';
import type { OutboundFrame } from './frame.js';

/** The first frame of a connection. */
export function connectionEstablished(about: {
  readonly socketId: string;
  readonly activityTimeoutSeconds: number;
  /** Client events are acknowledged. Absent: they are not. */
  readonly acks?: true;
}): OutboundFrame {
  const data = {
    socket_id: about.socketId,
    activity_timeout: about.activityTimeoutSeconds,
    ...(about.acks === true ? { acks: true } : {}),
  };
  return { event: 'service:connection_established', dataText: inString(JSON.stringify(data)) };
}

/** An error frame: alone it leaves the socket open; before a close it carries the close's code and text. */
export function errorFrame(error: Pick<FrameError, 'code' | 'message' | 'channel'>): OutboundFrame {
  const { code, message, channel } = error;
  return {
    event: 'service:error',
    ...(channel === null ? {} : { channel }),
    dataText: JSON.stringify({ code, message }),
  };
}

/** Ping to a silent client. */
export const PING: OutboundFrame = { event: 'service:ping' };

/** Answers a client's ping. */
export const PONG: OutboundFrame = { event: 'service:pong' };

/** Last event of a client with a revoked token, before the error frame and the close. */
export const TOKEN_REVOKED: OutboundFrame = {
  event: 'service:token_expired',
  dataText: '{"code":40160,"reason":"revoked"}',
};

/** Confirms a sign-in, with exactly the text of the client. */
export function signinSuccess(userData: string): OutboundFrame {
  return { event: 'service:signin_success', dataText: JSON.stringify({ user_data: userData }) };
}

/** Changes among watched users; null if there are none, since no frame is sent then. */
export function watchlistEvents(change: {
  readonly online: readonly string[];
  readonly offline: readonly string[];
}): OutboundFrame | null {
  const events = (['online', 'offline'] as const)
    .filter((name) => change[name].length > 0)
    .map((name) => ({ name, user_ids: change[name] }));
  if (events.length === 0) return null;
  return { event: 'service_internal:watchlist_events', dataText: inString(JSON.stringify({ events })) };
}
