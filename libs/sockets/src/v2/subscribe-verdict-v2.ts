import {
  subscribeRefusal,
  userLimitRefusal,
  toldAbout,
  metaBase,
  type ChannelPattern,
  type MetaChannel,
  type Channels,
  type OrdinaryChannel,
} from '@carillon/channels';
import { readDeltaWish } from '@carillon/delta';
import type { AcquiredFilter, HeldFilter } from '@carillon/filter';
import type { Codec } from '@carillon/realtime';
import type { LoopShare } from '@carillon/runtime';
import type { Connection } from '../connection/connection.js';
import type { Judged, Judges, SubscribeVerdict } from '../connection/judged.js';
import type { SubscribeRequest } from '../connection/speech.js';
import {
  failure,
  isSigned,
  memberVerdict,
  refused,
  speaksFor,
  unsigned,
} from '../requests/subscribe-verdict.js';
import type { DeltaRequests } from './delta/delta-requests.js';
import { narrowedBy } from './filtered.js';
import { type Narrowed, ViewV2 } from './view-v2.js';
import type { Viewer } from './views.js';

/** Validates a protocol 2 subscribe in a fixed order of checks. `codec`: the codec with all requested options. */
export function judgeV2(
  connection: Viewer,
  frame: SubscribeRequest,
  codec: Codec,
  { channels, filters, filterShare }: Judges,
  deltas: DeltaRequests,
): Judged {
  const { channel } = frame;
  const acquired: AcquiredFilter =
    frame.filter === null
      ? NO_FILTER
      : filters.acquire(frame.filter, { appId: connection.hub.appId, channel });
  if (!acquired.ok) {
    const row = acquired.why === 'too_many' ? 'too_many_filters' : 'malformed_frame';
    return { verdict: failure(row, 400, channel, acquired.reason), view: null };
  }
  const { held } = acquired;
  const verdict = nameVerdict(connection, frame, channels);
  if (verdict.kind === 'accepted' || verdict.kind === 'pattern') {
    const view =
      verdict.kind === 'accepted' && metaBase(verdict.channel.name) !== null
        ? new ViewV2(connection.views.meta, given(held), readDeltaWish(frame.delta))
        : viewOf(connection, frame, codec, held, filterShare);
    if (view !== null) deltas.settle(connection, verdict, view);
    return { verdict, view };
  }
  held?.release();
  return { verdict, view: null };
}

const NO_FILTER = { ok: true, held: null } as const;

/** Filters are for messages, which a meta channel has none of. */
const given = (held: HeldFilter | null): Narrowed | null =>
  held === null ? null : { codec: NOTHING, accepts: () => true, release: () => held.release() };
const NOTHING: Codec = { encode: () => null };

/** Null: everything is sent in full. */
function viewOf(
  { views, patterns }: Viewer,
  { delta, wantsAnnotations }: SubscribeRequest,
  codec: Codec,
  held: HeldFilter | null,
  share: LoopShare,
): ViewV2 | null {
  const wish = readDeltaWish(delta);
  const isPlain = held === null && wish === null && views.algorithm === null && patterns === null;
  if (isPlain && !wantsAnnotations) return null;
  const narrowed = held === null ? null : narrowedBy(codec, held, views.names, share);
  return new ViewV2(narrowed?.codec ?? codec, narrowed, wish, wantsAnnotations);
}

function nameVerdict(connection: Viewer, frame: SubscribeRequest, channels: Channels): SubscribeVerdict {
  const { channel: name } = frame;
  const channel = channels.subscription(connection.hub.app, name, 2);
  if (!channel.accepted) return refused(channel, name);
  if (channel.form === 'server_to_user') {
    if (frame.rewind !== null)
      return failure('channel_refused', 400, name, 'What is sent to users has no past');
    if (connection.identity?.userId === channel.userId) return { kind: 'acknowledged' };
    return failure('forbidden', 403, name, 'The channel is for its own signed-in user only');
  }
  if (channel.form === 'pattern') return patternVerdict(connection, frame, channel);
  if (channel.form === 'meta') return metaVerdict(connection, frame, channel);
  if (frame.rewind !== null && !channel.policy.history.rewindEnabled)
    return failure('channel_refused', 400, name, 'Rewind is not enabled for the channel');
  if (frame.wantsAnnotations && !channel.policy.annotationsEnabled)
    return failure('channel_refused', 400, name, 'Annotations are not enabled here');
  return ordinaryVerdict(connection, frame, channel);
}

/** A pattern fits public channels alone, so that nothing has to be signed. It is permitted by its own text. */
function patternVerdict(
  { capabilities }: Connection,
  { rewind, wantsAnnotations }: SubscribeRequest,
  pattern: ChannelPattern,
): SubscribeVerdict {
  const { name } = pattern;
  if (rewind !== null) return failure('channel_refused', 400, name, 'A pattern has no past');
  if (wantsAnnotations) return failure('channel_refused', 400, name, 'A pattern has no annotations');
  const namespace = subscribeRefusal(pattern);
  if (namespace !== null) return refused(namespace, name);
  if (capabilities.allows('subscribe', name)) return { kind: 'pattern', pattern };
  return failure('forbidden', 403, name, 'The capabilities do not permit it');
}

/**
 * Permits a meta channel to clients that may subscribe to its base channel. For a channel that requires a signature,
 * this is proven by a subscription to it, a capability that names it, or a signature of the meta channel itself.
 */
function metaVerdict(connection: Viewer, frame: SubscribeRequest, meta: MetaChannel): SubscribeVerdict {
  const { name, base } = meta;
  const { capabilities, subscriptions } = connection;
  const { rewind, wantsAnnotations, auth } = frame;
  const isShown =
    !base.traits.signed ||
    subscriptions.get(base.name) !== undefined ||
    capabilities.grants('subscribe', base.name) ||
    (auth !== null && isSigned(connection, { auth, channel: name, channelData: null }));
  if (!isShown) return failure('forbidden', 403, name, 'The channel itself is not permitted');
  if (rewind !== null) return failure('channel_refused', 400, name, 'A meta channel has no past');
  if (wantsAnnotations) return failure('channel_refused', 400, name, 'A meta channel has no annotations');
  const namespace = subscribeRefusal(meta);
  if (namespace !== null) return refused(namespace, name);
  if (!capabilities.allows('subscribe', base.name)) {
    return failure('forbidden', 403, name, 'The capabilities do not permit it');
  }
  const limited = userLimitRefusal(meta, connection.userId);
  if (limited !== null) return refused(limited, name);
  return { kind: 'accepted', channel: toldAbout(meta), member: null };
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
    return unsigned(name);
  }
  if (!traits.members) return { kind: 'accepted', channel, member: null };
  const verdict = memberVerdict(connection, frame, channel);
  const isOther =
    verdict.kind === 'accepted' &&
    connection.token !== null &&
    verdict.member?.userId !== connection.token.clientId;
  return isOther ? failure('forbidden', 403, name, 'user_id must be the client of the token') : verdict;
}
