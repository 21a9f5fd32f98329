import type { FrameV2 } from '../v2/frame.js';
import { inString } from './in-string.js';
import { rosterText, type PresenceMember } from './presence.js';

/** Start of a subscription. */
export interface AttachPoint {
  /** The newest serial of the channel's history; null: it has none. */
  readonly attachSerial: number | null;
  /** The channel's position at this moment; null: the channel has no recovery. */
  readonly position: { readonly streamId: string; readonly serial: number } | null;
}

/** A channel is joined. Members: of a presence channel, else null. */
export function subscriptionSucceededV2(
  channel: string,
  { attachSerial, position }: AttachPoint,
  members: readonly PresenceMember[] | null,
): FrameV2 {
  const parts: string[] = [];
  if (attachSerial !== null) parts.push(`"attach_serial":${attachSerial}`);
  if (members !== null) parts.push(`"presence":${rosterText(members)}`);
  return {
    event: 'service_internal:subscription_succeeded',
    channel,
    dataText: inString(`{${parts.join(',')}}`),
    ...(position === null ? {} : position),
  };
}

/** Frame of changed presence data, for every subscriber of protocol 2, the member included. */
export function presenceUpdated(channel: string, { userId, userInfoText }: PresenceMember): FrameV2 {
  const data = `{"user_id":${JSON.stringify(userId)},"user_info":${userInfoText}}`;
  return { event: 'service_internal:presence_update', channel, dataText: inString(data) };
}

/** Result of a rewind. */
export interface RewindReport {
  readonly historicalCount: number;
  readonly liveCount: number;
  readonly truncatedByRetention: boolean;
  readonly truncatedByLimit: boolean;
}

/** Frame that ends a rewind. */
export function rewindComplete(channel: string, report: RewindReport): FrameV2 {
  const { historicalCount, liveCount, truncatedByRetention, truncatedByLimit } = report;
  const data = {
    historical_count: historicalCount,
    live_count: liveCount,
    complete: !truncatedByRetention && !truncatedByLimit,
    truncated_by_retention: truncatedByRetention,
    truncated_by_limit: truncatedByLimit,
  };
  return { event: 'service:rewind_complete', channel, dataText: JSON.stringify(data) };
}

/** An event of `[meta]` of a channel, with a count or a user. */
export function metaEvent(
  event:
    | 'channel_occupied'
    | 'channel_vacated'
    | 'subscription_count'
    | 'member_added'
    | 'member_removed'
    | 'presence_update',
  channel: string,
  about: { readonly subscriptionCount: number } | { readonly userId: string },
): FrameV2 {
  const detail =
    'userId' in about ? { user_id: about.userId } : { subscription_count: about.subscriptionCount };
  return {
    event: `service_internal:${event}`,
    channel: `[meta]${channel}`,
    dataText: JSON.stringify({ channel, ...detail }),
  };
}

/** One event as its difference to the one before in its group. */
export function deltaFrame(
  original: FrameV2,
  delta: {
    readonly text: string;
    readonly sequence: number;
    readonly algorithm: string | null;
    readonly group: string;
  },
): FrameV2 {
  const data = {
    event: original.event,
    delta: delta.text,
    seq: delta.sequence,
    base_index: delta.sequence - 1,
    ...(delta.algorithm === null ? {} : { algorithm: delta.algorithm }),
    ...(delta.group === '' ? {} : { conflation_key: delta.group }),
  };
  const { channel, messageId = null, streamId = null, serial = null } = original;
  return {
    event: 'service:delta',
    ...(channel === undefined ? {} : { channel }),
    dataText: JSON.stringify(data),
    messageId,
    streamId,
    serial,
  };
}

/** Bases of groups for a new subscription, each at sequence 0. */
export function deltaCacheSync(
  channel: string,
  sync: {
    readonly conflationPath: string;
    readonly maxMessagesPerKey: number;
    readonly bases: ReadonlyMap<string, string>;
  },
): FrameV2 {
  const states = [...sync.bases].map(
    ([group, base]) => `${JSON.stringify(group)}:[{"content":${JSON.stringify(base)},"seq":0}]`,
  );
  const data =
    `{"conflation_key":${JSON.stringify(sync.conflationPath)},` +
    `"max_messages_per_key":${sync.maxMessagesPerKey},"states":{${states.join(',')}}}`;
  return { event: 'service:delta_cache_sync', channel, dataText: inString(data) };
}
