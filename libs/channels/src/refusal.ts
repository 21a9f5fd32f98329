import { ServiceError } from '@carillon/errors';

const name = (text: string) => ({ frame: 'channel_refused', http: 'invalid_input', text }) as const;
const access = (text: string) => ({ frame: 'forbidden', http: 'forbidden', text }) as const;

/**
 * Refusals of a channel: error row on a socket, code of the HTTP answer, and text. An invalid name is 4300 or
 * `invalid_input`; a missing permission is 4009 or `forbidden`.
 */
export const REFUSALS = {
  empty: name('Channel name must not be empty'),
  too_long: name('Channel name is too long'),
  characters: name('Channel name has characters that are not allowed'),
  namespace_unknown: name('Channel namespace is not configured for this app'),
  pattern_mismatch: name('Channel name does not match the pattern of its namespace'),
  user_limit_malformed: name('User-limited channel name is malformed'),
  user_limit_not_allowed: name('User-limited channels are not allowed here'),
  wildcard_malformed: name('Channel pattern is not valid'),
  wildcard_needs_v2: name('Channel patterns need protocol 2'),
  meta_malformed: name('Meta channel name is not valid'),
  meta_needs_v2: name('Meta channels need protocol 2'),
  subscribe_not_allowed: access('Clients may not subscribe to channels of this namespace'),
  publish_not_allowed: access('Clients may not publish to channels of this namespace'),
  presence_not_allowed: access('Clients may not join presence channels of this namespace'),
  user_not_listed: access('The channel does not admit this user'),
} as const;

/** The name of one reason. */
export type RefusalReason = keyof typeof REFUSALS;

/** A refused channel. One frozen object per reason. */
export interface ChannelRefusal {
  readonly accepted: false;
  readonly reason: RefusalReason;
  /** The row of `ERRORS` whose frame code the socket sends. */
  readonly frame: 'channel_refused' | 'forbidden';
  readonly http: 'invalid_input' | 'forbidden';
  /** Text for the client; never repeats received data. */
  readonly text: string;
}

const refusals = new Map(
  Object.entries(REFUSALS).map(([reason, row]) => [
    reason,
    Object.freeze({ accepted: false, reason: reason as RefusalReason, ...row }) satisfies ChannelRefusal,
  ]),
);

/** The refusal of that reason, always the same object. */
export function refuse(reason: RefusalReason): ChannelRefusal {
  const refusal = refusals.get(reason);
  if (refusal === undefined) throw new TypeError(`no refusal ${reason}`);
  return refusal;
}

/** The refusal as the HTTP side throws it. */
export function refusalError({ http, text }: ChannelRefusal): ServiceError {
  return new ServiceError(http, { text });
}
