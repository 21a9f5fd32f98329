import { subscribeRefusal, userLimitRefusal, type Channels, type OrdinaryChannel } from '@carillon/channels';
import { readDeltaWish } from '@carillon/delta';
import type { AcquiredFilter, HeldFilter } from '@carillon/filter';
import type { Codec } from '@carillon/hub';
import type { Connection } from '../connection/connection.js';
import type { Judged, Judges, SubscribeVerdict } from '../connection/judged.js';
import type { SubscribeRequest } from '../connection/speech.js';
import { failure, isSigned, memberVerdict, refused, speaksFor } from '../requests/subscribe-verdict.js';
import type { DeltaRequests } from './delta/delta-requests.js';
import { narrowedBy } from './filtered.js';
import { ViewV2 } from './view-v2.js';
import type { Viewer } from './views.js';

/** Judges a subscribe on protocol 2, in the one order of checks. `codec`: of everything that it asks for. */
export function judgeV2(
  connection: Viewer,
  frame: SubscribeRequest,
  codec: Codec,
  { channels, filters }: Judges,
  deltas: DeltaRequests,
): Judged {
  const acquired: AcquiredFilter = frame.filter === null ? NO_FILTER : filters.acquire(frame.filter);
  if (!acquired.ok) {
    return { verdict: failure('malformed_frame', 400, frame.channel, acquired.reason), view: null };
  }
  const { held } = acquired;
  const verdict = nameVerdict(connection, frame, channels);
  if (verdict.kind === 'accepted') {
    const view = viewOf(connection, frame, codec, held);
    if (view !== null) deltas.settle(connection, verdict.channel, view);
    return { verdict, view };
  }
  held?.release();
  return { verdict, view: null };
}

const NO_FILTER = { ok: true, held: null } as const;

/** Null: everything is sent in full. */
function viewOf(
  { views }: Viewer,
  { delta, wantsAnnotations }: SubscribeRequest,
  codec: Codec,
  held: HeldFilter | null,
): ViewV2 | null {
  const wish = readDeltaWish(delta);
  if (held === null && wish === null && views.algorithm === null && !wantsAnnotations) return null;
  const narrowed = held === null ? null : narrowedBy(codec, held);
  return new ViewV2(narrowed?.codec ?? codec, narrowed, wish, wantsAnnotations);
}

function nameVerdict(connection: Connection, frame: SubscribeRequest, channels: Channels): SubscribeVerdict {
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
  if (frame.rewind !== null && !channel.policy.history.rewindEnabled)
    return failure('channel_refused', 400, name, 'Rewind is not enabled for the channel');
  if (frame.wantsAnnotations && !channel.policy.annotationsEnabled)
    return failure('channel_refused', 400, name, 'Annotations are not enabled here');
  return ordinaryVerdict(connection, frame, channel);
}

function ordinaryVerdict(
  connection: Connection,
  frame: SubscribeRequest,
  channel: OrdinaryChannel,
): SubscribeVerdict {
  const { name, traits } = channel;
  if (traits.signed && frame.auth === null) {
    return failure('auth_failed', 401, name, 'Authentication error: auth is missing');
  }
  const namespace = subscribeRefusal(channel);
  if (namespace !== null) return refused(namespace, name);
  const { capabilities } = connection;
  const isPermitted =
    capabilities.allows('subscribe', name) &&
    (!traits.members || capabilities.allows('presence', name)) &&
    (frame.rewind === null || capabilities.allows('history', name)) &&
    (!frame.wantsAnnotations || capabilities.allows('annotation-subscribe', name));
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
