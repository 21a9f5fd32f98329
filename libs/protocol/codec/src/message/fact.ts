import type { AttachPoint, RewindReport } from '../outbound/channel-v2.js';
import type { PresenceMember } from '../outbound/presence.js';
import type { Recovered } from '../outbound/recovery.js';
import type { SubscriptionErrorStatus } from '../outbound/subscription.js';
import type { RecoveryFailure } from '../recovery/failure.js';
import type { AnnotationFact } from './annotated.js';
import type { Message } from './message.js';

/** Somebody is there now: the first connection of a user has come. */
export interface MemberAdded {
  readonly kind: 'member_added';
  readonly channel: string;
  readonly member: PresenceMember;
  readonly serial: number;
}

/** A member says something else about itself. */
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
  /** JSON text of what the user said about itself last. Absent: not told. */
  readonly userInfoText?: string;
  /** The connection the user had come by. Absent: not told. */
  readonly socketId?: string;
  /** The serial of the change of the member before this one. Absent: unknown. */
  readonly after?: number;
  readonly serial: number;
}

/** So many connections have the channel, over all processes. */
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

/** A user whom others watch came online or went. */
export interface UserSeen {
  readonly kind: 'user_seen';
  readonly userId: string;
  readonly isOnline: boolean;
  readonly serial: number;
}

/**
 * How something is now. Of two that are about the same (a user of a channel, a channel's count, a user) the one with the
 * higher serial is later, and whoever knows it drops the other.
 */
export type StateFact =
  | ChannelCounted
  | ChannelTurned
  | MemberAdded
  | MemberRemoved
  | MemberUpdated
  | UserSeen;

/** What processes tell each other for subscribers: everything that is not said to one connection alone. */
export type SharedFact = Message | StateFact;

/** What all subscribers of a channel may be told. */
export type ChannelFact = AnnotationFact | SharedFact;

/** The connection has the channel. */
export interface Subscribed {
  readonly kind: 'subscribed';
  readonly channel: string;
  /** Everybody in order of first join, the new one included; null: the channel has no members. */
  readonly members: readonly PresenceMember[] | null;
  /** Where the subscription begins. Absent: the channel has no positions, or the connection is not told any. */
  readonly attach?: AttachPoint | null;
}

/** A cache channel has no last event to show. */
export interface CacheMissed {
  readonly kind: 'cache_missed';
  readonly channel: string;
}

/** Who of the watched users is online as a connection begins to watch them. */
export interface WatchBegun {
  readonly kind: 'watch_begun';
  readonly online: readonly string[];
  readonly offline: readonly string[];
}

/** Its token is not valid any more; the end follows. */
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

/** What a subscription begins to get differences to, by group. */
export interface DeltaBases {
  readonly kind: 'delta_bases';
  readonly channel: string;
  readonly conflationPath: string;
  readonly maxMessagesPerKey: number;
  /** Not empty. */
  readonly bases: ReadonlyMap<string, string>;
}

/** The result of one client event of a connection that asked for acknowledgements. */
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

/** The channel was not joined; `failed` has told why. */
export interface SubscriptionFailed {
  readonly kind: 'subscription_failed';
  readonly channel: string;
  readonly code: number;
  readonly message: string;
  readonly status: SubscriptionErrorStatus;
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

/** A silent client is asked for a sign of life, or gets one. */
export interface Heartbeat {
  readonly kind: 'ping' | 'pong';
}

/** What is said to one connection alone. */
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

/** A channel does not go on where the client was. */
export interface ResumeFailed {
  readonly kind: 'resume_failed';
  readonly failure: RecoveryFailure;
}

/** What was asked to go on where it was has been answered: every channel is in one of both. */
export interface Resumed {
  readonly kind: 'resumed';
  readonly recovered: readonly Recovered[];
  readonly failed: readonly RecoveryFailure[];
}

/** The past that a subscription begins with, and what came meanwhile, is all told. */
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

/** Everything the service may say to a subscriber, free of any protocol: a codec turns it into a frame, or into nothing. */
export type Fact = ChannelFact | ReplyFact;

/** Which of the things that a channel's state facts are about: a user, or, as the empty text, the channel itself. */
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
