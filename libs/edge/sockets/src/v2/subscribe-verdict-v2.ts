import { subscribeRefusal, userLimitRefusal, type Channels, type OrdinaryChannel } from '@carillon/channels';
import type { AcquiredFilter, HeldFilter, SharedFilters } from '@carillon/filter';
import type { SubscribeFrameV2 } from '@carillon/protocol';
import { Capabilities } from '@carillon/signing';
import {
  failure,
  isSigned,
  memberVerdict,
  refused,
  speaksFor,
  type SubscribeVerdict,
} from '../requests/subscribe-verdict.js';
import type { ConnectionV2 } from './connection-v2.js';

/** What a connection may do, wherever that was said. */
export const capabilitiesOf = (connection: ConnectionV2): Capabilities =>
  connection.identity?.capabilities ?? Capabilities.NONE;

/** A verdict, with the filter that comes with an accepted one. */
export interface FilteredVerdict {
  readonly verdict: SubscribeVerdict;
  /** To be given back when it comes to nothing; null: none is wanted. */
  readonly filter: HeldFilter | null;
}

/** Judges a subscribe on protocol 2, in the one order of checks. */
export function subscribeVerdictV2(
  connection: ConnectionV2,
  frame: SubscribeFrameV2,
  channels: Channels,
  filters: SharedFilters,
): FilteredVerdict {
  const acquired: AcquiredFilter = frame.filter === null ? NO_FILTER : filters.acquire(frame.filter);
  if (!acquired.ok) {
    return { verdict: failure('malformed_frame', 400, frame.channel, acquired.reason), filter: null };
  }
  const verdict = nameVerdict(connection, frame, channels);
  if (verdict.kind === 'accepted') return { verdict, filter: acquired.held };
  acquired.held?.release();
  return { verdict, filter: null };
}

const NO_FILTER = { ok: true, held: null } as const;

function nameVerdict(
  connection: ConnectionV2,
  frame: SubscribeFrameV2,
  channels: Channels,
): SubscribeVerdict {
  const { channel: name } = frame;
  const channel = channels.subscription(connection.hub.app, name, 2);
  if (!channel.accepted) return refused(channel, name);
  if (channel.form === 'server_to_user') {
    if (connection.identity?.userId === channel.userId) return { kind: 'acknowledged' };
    return failure('forbidden', 403, name, 'The channel is for its own signed-in user only');
  }
  if (channel.form !== 'ordinary') {
    return failure('channel_refused', 400, name, 'Patterns and meta channels are not served by this build');
  }
  if (frame.rewind !== null)
    return failure('channel_refused', 400, name, 'Rewind is not served by this build');
  if (frame.wantsAnnotations)
    return failure('channel_refused', 400, name, 'Annotations are not enabled here');
  return ordinaryVerdict(connection, frame, channel);
}

function ordinaryVerdict(
  connection: ConnectionV2,
  frame: SubscribeFrameV2,
  channel: OrdinaryChannel,
): SubscribeVerdict {
  const { name, traits } = channel;
  if (traits.signed && frame.auth === null) {
    return failure('auth_failed', 401, name, 'Authentication error: auth is missing');
  }
  const namespace = subscribeRefusal(channel);
  if (namespace !== null) return refused(namespace, name);
  const capabilities = capabilitiesOf(connection);
  const isPermitted =
    capabilities.allows('subscribe', name) && (!traits.members || capabilities.allows('presence', name));
  if (!isPermitted) return failure('forbidden', 403, name, 'The capabilities do not permit it');
  const limited = userLimitRefusal(channel, speaksFor(connection, frame, channel));
  if (limited !== null) return refused(limited, name);
  if (traits.signed && !isSigned(connection, frame)) {
    return failure('auth_failed', 401, name, 'Authentication error: invalid signature');
  }
  if (!traits.members) return { kind: 'accepted', channel, member: null };
  const verdict = memberVerdict(connection, frame, channel);
  const isOther =
    verdict.kind === 'accepted' &&
    connection.token !== null &&
    verdict.member?.userId !== connection.token.clientId;
  return isOther ? failure('forbidden', 403, name, 'user_id must be the client of the token') : verdict;
}
