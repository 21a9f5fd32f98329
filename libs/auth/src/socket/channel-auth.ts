import { equalText } from '../equal-text.js';
import { hmac, matchesEither, type SigningKey } from '../signing-key.js';

/** Subject of a channel signature. */
export interface ChannelAuth {
  readonly socketId: string;
  /** The name exactly as subscribed, `[meta]` included. */
  readonly channel: string;
  /** The string exactly as received; counts on presence channels only. */
  readonly channelData?: string | undefined;
}

/** Returns `{appKey}:{signature}`, the answer of an application server to its client. */
export function signChannelAuth(key: SigningKey, { socketId, channel, channelData }: ChannelAuth): string {
  const subject = `${socketId}:${channel}`;
  const signsData = channelData !== undefined && channel.startsWith('presence-');
  return `${key.key}:${hmac(key, signsData ? `${subject}:${channelData}` : subject, 'hex')}`;
}

/** Whether `auth` lets this socket join this channel. A bare signature or another key's does not. */
export function verifyChannelAuth(key: SigningKey, request: ChannelAuth, auth: string): boolean {
  return matchesEither(key, (one) => equalText(auth, signChannelAuth(one, request)));
}
