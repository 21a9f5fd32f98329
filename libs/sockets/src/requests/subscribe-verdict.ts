import type { Connection } from '../connection/connection.js';
import type { SubscribeFailure, SubscribeVerdict } from '../connection/judged.js';
import {
  subscribeRefusal,
  userLimitRefusal,
  type ChannelRefusal,
  type Channels,
  type OrdinaryChannel,
} from '@carillon/channels';
import { storableJson } from '@carillon/contracts';
import type { ErrorCode } from '@carillon/errors';
import {
  frameError,
  MAX_USER_ID_BYTES,
  readChannelData,
  type SubscribeFrame,
  type SubscriptionErrorStatus,
} from '@carillon/protocol';
import { verifyChannelAuth } from '@carillon/auth';

/** A failure with its status: 400 the request, 401 the signature, 403 denied, 503 later perhaps. */
export function failure(
  row: ErrorCode,
  status: SubscriptionErrorStatus,
  channel: string,
  message?: string,
): SubscribeFailure {
  const detail = message === undefined ? { channel } : { channel, message };
  return { kind: 'refused', error: frameError(row, detail), status };
}

/** The failure of a signature that matches no known secret. */
export const unsigned = (channel: string): SubscribeFailure => ({
  ...failure('auth_failed', 401, channel, 'Authentication error: invalid signature'),
  isUnsigned: true,
});

/** The failure for a channel name or namespace that refuses the subscribe. */
export const refused = (refusal: ChannelRefusal, channel: string): SubscribeFailure =>
  failure(refusal.frame, refusal.frame === 'forbidden' ? 403 : 400, channel, refusal.text);

/** Judges a subscribe on protocol 1, in the one order of checks. */
export function subscribeVerdict(
  connection: Connection,
  frame: SubscribeFrame,
  channels: Channels,
): SubscribeVerdict {
  const { app } = connection.hub;
  const { channel: name } = frame;
  const channel = channels.subscription(app, name, 1);
  if (!channel.accepted) return refused(channel, name);
  if (frame.wantsRewind) return failure('channel_refused', 400, name, 'Rewind needs protocol 2');
  if (channel.form === 'server_to_user') {
    if (connection.identity?.userId === channel.userId) return { kind: 'acknowledged' };
    return failure('forbidden', 403, name, 'The channel is for its own signed-in user only');
  }
  if (channel.form !== 'ordinary') return failure('channel_refused', 400, name);
  return ordinaryVerdict(connection, frame, channel);
}

function ordinaryVerdict(
  connection: Connection,
  frame: SubscribeFrame,
  channel: OrdinaryChannel,
): SubscribeVerdict {
  const { name, traits } = channel;
  if (traits.signed && frame.auth === null) {
    return failure('auth_failed', 401, name, 'Authentication error: auth is missing');
  }
  const denied =
    subscribeRefusal(channel) ?? userLimitRefusal(channel, speaksFor(connection, frame, channel));
  if (denied !== null) return refused(denied, name);
  if (traits.signed && !isSigned(connection, frame)) {
    return unsigned(name);
  }
  return traits.members
    ? memberVerdict(connection, frame, channel)
    : { kind: 'accepted', channel, member: null };
}

/**
 * The identity that user lists are checked against: that of the connection, or the one this subscribe carries, whose
 * signature is checked later.
 */
export function speaksFor(
  connection: Connection,
  frame: Pick<SubscribeFrame, 'channelData'>,
  { traits }: OrdinaryChannel,
): string | null {
  if (connection.userId !== null || !traits.members || frame.channelData === null) return connection.userId;
  return readChannelData(frame.channelData)?.userId ?? null;
}

/** Whether the signature is right. */
export function isSigned(
  connection: Connection,
  { auth, channel, channelData }: Pick<SubscribeFrame, 'auth' | 'channel' | 'channelData'>,
): boolean {
  const subject = { socketId: connection.signedId, channel, channelData: channelData ?? undefined };
  return verifyChannelAuth(connection.hub.rules.key, subject, auth ?? '');
}

/** Escapes of U+0000 and of halves of surrogate pairs; as such neither can be in a frame. */
const SUSPICIOUS = /\\u(?:0000|d[89a-f])/i;

function isUnstorable(json: string): boolean {
  if (!SUSPICIOUS.test(json)) return false;
  try {
    return storableJson(JSON.parse(json)) !== null;
  } catch {
    return false;
  }
}

/** The member that a subscribe to a presence channel joins as. */
export function memberVerdict(
  connection: Connection,
  { channelData }: Pick<SubscribeFrame, 'channelData'>,
  channel: OrdinaryChannel,
): SubscribeVerdict {
  const { identity, hub } = connection;
  if (isUnstorable(channelData ?? identity?.userInfoText ?? '')) {
    return failure('client_event_refused', 400, channel.name, 'channel_data holds what cannot be stored');
  }
  const member = channelData === null ? identity : readChannelData(channelData);
  if (member === null) {
    const what =
      channelData === null
        ? 'is missing'
        : `must be JSON with a user_id of at most ${MAX_USER_ID_BYTES} bytes`;
    return failure('malformed_frame', 400, channel.name, `channel_data ${what}`);
  }
  const { userId, userInfoText } = member;
  if (Buffer.byteLength(userInfoText) > hub.app.limits.maxPresenceMemberBytes) {
    return failure('channel_refused', 400, channel.name, 'user_info is too large');
  }
  return { kind: 'accepted', channel, member: { userId, userInfoText } };
}
