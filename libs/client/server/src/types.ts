import type { Call } from './options.js';

export type Info = 'cache' | 'subscription_count' | 'user_count';

export interface Extras {
  readonly headers?: Readonly<Record<string, boolean | number | string>>;
  /** Neither stored nor recovered: for connected subscribers only. */
  readonly ephemeral?: boolean;
  readonly [more: string]: unknown;
}

export interface PublishOptions extends Call {
  /** The connection that does not receive the event. */
  readonly socketId?: string;
  readonly info?: string | readonly Info[];
  readonly tags?: Readonly<Record<string, string>>;
  /** False: subscribers get the whole message instead of a delta. */
  readonly delta?: boolean;
  readonly messageId?: string;
  /** Absent: a generated one. False: none, and only 429 is retried. */
  readonly idempotencyKey?: string | false;
  readonly extras?: Extras;
}

/** An item of a batch; items of the package `pusher` are accepted as they are. */
export interface BatchEvent extends Omit<PublishOptions, keyof Call | 'idempotencyKey'> {
  readonly channel: string;
  readonly name: string;
  readonly data?: unknown;
  readonly socket_id?: string;
}

export interface BatchOptions extends Call {
  /** Key of the whole batch; each item gets it with its index. Absent: a generated one. */
  readonly idempotencyKey?: string | false;
}

/** Result of a publish on one channel. Counts are present if they were requested. */
export interface Published {
  readonly acknowledgementId?: string;
  readonly messageSerial?: string;
  readonly versionSerial?: string;
  readonly historySerial?: number;
  readonly deliverySerial?: number;
  readonly subscriptionCount?: number;
  readonly userCount?: number;
}

/** `channels` is present if `info` or `messageId` was given, or an AI event was published. */
export interface PublishResult {
  readonly ok?: boolean;
  readonly channels?: Readonly<Record<string, Published>>;
}

export interface BatchResult {
  readonly batch?: readonly Published[];
}

export interface ChannelInfo {
  readonly occupied?: boolean;
  readonly subscriptionCount?: number;
  readonly userCount?: number;
  readonly cache?: { readonly data: string; readonly ttl: number } | null;
  readonly [more: string]: unknown;
}

export interface HistoryOptions extends Call {
  readonly limit?: number;
  readonly direction?: 'newest_first' | 'oldest_first';
  /** Inclusive, like all bounds. */
  readonly startSerial?: number;
  readonly endSerial?: number;
  readonly startTime?: Date | number;
  readonly endTime?: Date | number;
}

export interface HistoryItem {
  readonly streamId: string;
  readonly serial: number;
  readonly publishedAtMs: number;
  readonly messageId: string | null;
  readonly eventName: string | null;
  readonly operationKind: string;
  readonly payloadSizeBytes: number;
  readonly message: Message;
}

/** A message; `data` is text as it was delivered, or the value of a versioned message. */
export interface Message {
  readonly event?: string;
  readonly name?: string | null;
  readonly channel?: string;
  readonly data?: unknown;
  readonly messageId?: string;
  readonly messageSerial?: string;
  readonly serial?: number | string;
  readonly action?: string;
  readonly extras?: Readonly<Record<string, unknown>>;
  readonly version?: Readonly<Record<string, unknown>>;
  readonly [more: string]: unknown;
}

export interface PresenceRecord {
  readonly serial: number;
  readonly publishedAtMs: number;
  readonly event: string;
  readonly userId: string;
  readonly [more: string]: unknown;
}

export interface StreamState {
  readonly channel: string;
  readonly stream: Readonly<Record<string, unknown>>;
}

/** Why an operator changes a history. */
export interface Reason extends Call {
  readonly reason: string;
  readonly requestedBy?: string;
}

export interface Purge extends Reason {
  /** Exclusive. Neither bound: everything. */
  readonly beforeSerial?: number;
  readonly beforeTime?: Date | number;
}

export interface Mutation {
  readonly channel: string;
  readonly messageSerial: string;
  readonly action: 'append' | 'delete' | 'update';
  readonly accepted: boolean;
  readonly versionSerial: string;
  readonly historySerial: number;
  readonly deliverySerial: number;
  readonly status: 'applied' | 'duplicate';
}

/** Members that a change of a message sets; absent ones keep their value. */
export interface MessageChange extends Call {
  readonly name?: string;
  readonly data?: unknown;
  readonly extras?: Readonly<Record<string, unknown>>;
  readonly clearFields?: readonly ('data' | 'extras' | 'name')[];
  readonly clientId?: string;
  /** The connection with whose rights the change is made. */
  readonly socketId?: string;
  readonly description?: string;
  readonly metadata?: unknown;
  /** Absent: a generated one. */
  readonly opId?: string;
}

export interface AnnotationInput extends Call {
  /** `<namespace>:<summarizer>.v1`. */
  readonly type: string;
  readonly name?: string;
  readonly clientId?: string;
  readonly socketId?: string;
  readonly count?: number;
  readonly data?: unknown;
  readonly encoding?: string;
}

export interface Annotation {
  readonly action: 'annotation.create' | 'annotation.delete';
  readonly serial: string;
  readonly messageSerial: string;
  readonly type: string;
  readonly timestamp: number;
  readonly id?: string;
  readonly name?: string;
  readonly clientId?: string;
  readonly count?: number;
  readonly data?: unknown;
  readonly encoding?: string;
}

export interface Revocation {
  readonly revokedJti: boolean;
  readonly revokedClientId: boolean;
  readonly closedConnections: number;
}
