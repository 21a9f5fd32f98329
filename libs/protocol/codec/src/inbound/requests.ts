import { frameError } from '../frame-error.js';
import { memberOf } from '../json/parse-object.js';
import type { InboundFrame, MalformedFrame, SystemRequest } from './frame.js';
import { filledMember, systemData, textMember } from './system-data.js';

/** An error 4000, naming the channel if the frame did so readably. */
export function malformed(
  request: SystemRequest | null,
  message: string,
  channel: string | null | undefined,
): MalformedFrame {
  return {
    kind: 'malformed',
    request,
    error: frameError('malformed_frame', { message, channel: channel ?? null }),
  };
}

/** Reads the `data` of a subscribe. */
export function readSubscribe(frameData: unknown): InboundFrame {
  const data = systemData(frameData);
  if (data === null) return malformed('subscribe', 'data must be an object', null);
  const channel = textMember(data, 'channel');
  if (typeof channel !== 'string') return malformed('subscribe', 'data.channel must be a string', null);
  const auth = filledMember(data, 'auth');
  if (auth === undefined) return malformed('subscribe', 'data.auth must be a string', channel);
  // Ignored on other channels.
  const channelData = channel.startsWith('presence-') ? textMember(data, 'channel_data') : null;
  if (channelData === undefined) {
    return malformed('subscribe', 'data.channel_data must be a string of JSON', channel);
  }
  const wantsRewind = memberOf(data, 'rewind') !== undefined;
  return { kind: 'subscribe', channel, auth, channelData, wantsRewind };
}

/** Reads the `data` of an unsubscribe, which may also be the bare channel name. */
export function readUnsubscribe(frameData: unknown): InboundFrame {
  // No channel name holds a brace where JSON text of an object begins.
  if (typeof frameData === 'string' && frameData !== '' && !frameData.trimStart().startsWith('{')) {
    return { kind: 'unsubscribe', channel: frameData };
  }
  const data = systemData(frameData);
  const channel = data === null ? null : textMember(data, 'channel');
  return typeof channel === 'string'
    ? { kind: 'unsubscribe', channel }
    : malformed('unsubscribe', 'data.channel must be a string', null);
}

/** Reads the `data` of a sign-in. Missing parts are not malformed: they fail as a wrong signature does. */
export function readSignin(frameData: unknown): InboundFrame {
  const data = systemData(frameData);
  if (data === null) return malformed('signin', 'data must be an object', null);
  const auth = filledMember(data, 'auth');
  if (auth === undefined) return malformed('signin', 'data.auth must be a string', null);
  const userData = textMember(data, 'user_data');
  if (userData === undefined) return malformed('signin', 'data.user_data must be a string of JSON', null);
  return { kind: 'signin', auth, userData };
}
