import type { AttachPoint, RewindReport } from '../outbound/channel-v2.js';
import type { PresenceMember } from '../outbound/presence.js';
import type { Recovered } from '../outbound/recovery.js';
import type { SubscriptionErrorStatus } from '../outbound/subscription.js';
import type { RecoveryFailure } from '../recovery/failure.js';
import type { AnnotationFact } from './annotated.js';
import type { Message } from './message.js';

/** A member joined with its first connection. */
export interface MemberAdded {
  readonly kind: 'member_added';
  readonly channel: string;
  readonly member: PresenceMember;
  readonly serial: number;
}

/** A member replaced its presence data. */
export interface MemberUpdated {
  readonly kind: 'member_updated';
  readonly channel: string;
  readonly member: PresenceMember;
  /** The serial of the change of the member before this one. Absent: unknown. */
  readonly after?: number;
  readonly serial: number;
}

/** The last connection of a user has gone. */
export interface MemberRemoved {
  readonly kind: 'member_removed';
  readonly channel: string;
  readonly userId: string;
  /** Last presence data as JSON text. Absent: not included. */
  readonly userInfoText?: string;
  /** Connection by which the user joined. Absent: not included. */
  readonly socketId?: string;
  /** The serial of the change of the member before this one. Absent: unknown. */
  readonly after?: number;
  readonly serial: number;
}

/** Number of connections subscribed to the channel, over all processes. */
export interface ChannelCounted {
  readonly kind: 'channel_counted';
  readonly channel: string;
  readonly count: number;
  readonly serial: number;
}

/** The first of all connections that have the channel has come, or the last has gone. */
export interface ChannelTurned {
  readonly kind: 'channel_occupied' | 'channel_vacated';
  readonly channel: string;
  readonly serial: number;
}

/** A watched user came online or went offline. */
export interface UserSeen {
  readonly kind: 'user_seen';
  readonly userId: string;
  readonly isOnline: boolean;
  readonly serial: number;
}

/**
 * Current state of a subject (a user of a channel, a channel's count, a user). The higher serial is later; receivers
 * that know it drop the other.
 */
export type StateFact =
  | ChannelCounted
  | ChannelTurned
  | MemberAdded
  | MemberRemoved
  | MemberUpdated
  | UserSeen;

/** Events exchanged between processes for subscribers, not addressed to a single connection. */
export type SharedFact = Message | StateFact;

/** Events for all subscribers of a channel. */
export type ChannelFact = AnnotationFact | SharedFact;

/** The connection has the channel. */
export interface Subscribed {
  readonly kind: 'subscribed';
  readonly channel: string;
  /** Members in order of first join, including the new one; null: the channel has no presence. */
  readonly members: readonly PresenceMember[] | null;
  /** Start of the subscription. Absent: the channel has no positions, or they are not sent to the connection. */
  readonly attach?: AttachPoint | null;
}

/** A cache channel has no last event to show. */
export interface CacheMissed {
  readonly kind: 'cache_missed';
  readonly channel: string;
}

/** Watched users online at the start of the watch. */
export interface WatchBegun {
  readonly kind: 'watch_begun';
  readonly online: readonly string[];
  readonly offline: readonly string[];
}

/** Its token is no longer valid; the close follows. */
export interface TokenRevoked {
  readonly kind: 'token_revoked';
}

/** A capability token counts for the connection from now on. */
export interface TokenTaken {
  readonly kind: 'token_taken';
  readonly clientId: string;
  readonly jti: string;
  /** Unix seconds. */
  readonly expiresAt: number;
}

/** The connection's token has ended; it has a little while to bring another. */
export interface TokenExpired {
  readonly kind: 'token_expired';
}

/** Whether messages are sent as differences from now on, on one channel or (null) on the connection. */
export interface DeltaSettled {
  readonly kind: 'delta_settled';
  readonly channel: string | null;
  /** Null: they are not. */
  readonly algorithm: string | null;
}

/** Base messages of a delta subscription, by group. */
export interface DeltaBases {
  readonly kind: 'delta_bases';
  readonly channel: string;
  readonly conflationPath: string;
  readonly maxMessagesPerKey: number;
  /** Not empty. */
  readonly bases: ReadonlyMap<string, string>;
}

/** Result of a client event of a connection that requested acknowledgements. */
export interface Acknowledged {
  readonly kind: 'acknowledged';
  /** The client's id of the event. */
  readonly messageId: string;
  /** Null: the event named no channel. */
  readonly channel: string | null;
  readonly outcome:
    /** `position` is null if the event has none: the channel keeps no positions, or the event is ephemeral. */
    | {
        readonly isAccepted: true;
        readonly position: { readonly streamId: string; readonly serial: number } | null;
      }
    | { readonly isAccepted: false; readonly code: number; readonly message: string };
}

/** Something is wrong with a request, or, before a close, with the connection. */
export interface Failed {
  readonly kind: 'failed';
  /** Null: it is about no channel. */
  readonly channel: string | null;
  readonly code: number;
  readonly message: string;
}

/** The channel was not joined; `failed` reported the reason. */
export interface SubscriptionFailed {
  readonly kind: 'subscription_failed';
  readonly channel: string;
  readonly code: number;
  readonly message: string;
  readonly status: SubscriptionErrorStatus;
  /** `removed`: the subscription existed and an operator ended it. Absent: it was refused. */
  readonly reason?: 'removed';
}

/** The connection is let in. */
export interface Established {
  readonly kind: 'established';
  readonly socketId: string;
  readonly activityTimeoutSeconds: number;
  /** Client events are acknowledged. Absent: they are not. */
  readonly acks?: true;
}

/** The connection is signed in. */
export interface SignedIn {
  readonly kind: 'signed_in';
  /** Exactly the text it sent. */
  readonly userData: string;
}

/** Ping to a silent client, or pong to one. */
export interface Heartbeat {
  readonly kind: 'ping' | 'pong';
}

/** Events for a single connection. */
export type ReplyFact =
  | Acknowledged
  | CacheMissed
  | DeltaBases
  | DeltaSettled
  | Established
  | Failed
  | Heartbeat
  | HistoryPage
  | Resumed
  | ResumeFailed
  | Rewound
  | SignedIn
  | Subscribed
  | SubscriptionFailed
  | TokenExpired
  | TokenRevoked
  | TokenTaken
  | WatchBegun;

/** A channel could not be recovered. */
export interface ResumeFailed {
  readonly kind: 'resume_failed';
  readonly failure: RecoveryFailure;
}

/** Result of a resume request: every channel was recovered or failed. */
export interface Resumed {
  readonly kind: 'resumed';
  readonly recovered: readonly Recovered[];
  readonly failed: readonly RecoveryFailure[];
}

/** The rewind and the messages received meanwhile have been sent. */
export interface Rewound {
  readonly kind: 'rewound';
  readonly channel: string;
  readonly report: RewindReport;
}

/** A page of a channel's history. */
export interface HistoryPage {
  readonly kind: 'history_page';
  readonly channel: string;
  /** JSON text. */
  readonly pageText: string;
}

/** Every event for a subscriber, independent of the protocol: a codec encodes it as a frame, or omits it. */
export type Fact = ChannelFact | ReplyFact;

/** Subject of a state change within its channel: a user, or the empty text for the channel itself. */
export function subjectOf(fact: StateFact): string {
  switch (fact.kind) {
    case 'channel_counted':
    case 'channel_occupied':
    case 'channel_vacated':
      return '';
    case 'member_added':
    case 'member_updated':
      return fact.member.userId;
    case 'member_removed':
    case 'user_seen':
    default:
      return fact.userId;
  }
}
