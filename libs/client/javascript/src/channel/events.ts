import type { CarillonError } from '../error.js';
import type { Message } from './message.js';

/** What a channel is doing. */
export type ChannelState = 'idle' | 'subscribing' | 'subscribed' | 'failed';

/** What became of the messages that a client missed while it was not connected. */
export type Recovery =
  | { readonly recovered: true; readonly replayed: number; readonly source: 'hot' | 'cold' }
  /** Messages may be missing: read the channel's history. */
  | {
      readonly recovered: false;
      readonly code: string;
      readonly reason: string;
      /** Of which channel, where it was subscribed to by a pattern. */
      readonly channel?: string;
    };

/** How a rewind went. */
export interface Rewound {
  readonly historicalCount: number;
  readonly liveCount: number;
  readonly complete: boolean;
  readonly truncatedByRetention: boolean;
  readonly truncatedByLimit: boolean;
}

/** Annotations of one message, summed up by type. */
export interface Summary {
  /** What the message is of; on a pattern, one that it fits. */
  readonly channel: string;
  readonly messageSerial: string;
  readonly summary: Readonly<Record<string, unknown>>;
}

/** One annotation that came or went. */
export interface AnnotationEvent {
  readonly action: 'annotation.create' | 'annotation.delete';
  readonly id?: string;
  readonly serial: string;
  readonly messageSerial: string;
  readonly type: string;
  readonly name?: string;
  readonly clientId?: string;
  readonly count?: number;
  readonly data?: unknown;
  readonly encoding?: string;
  readonly timestamp: number;
}

/** What a meta channel tells of the channel it is about. */
export interface MetaEvent {
  readonly event:
    | 'channel_occupied'
    | 'channel_vacated'
    | 'subscription_count'
    | 'member_added'
    | 'member_removed'
    | 'presence_update';
  readonly channel: string;
  readonly subscriptionCount?: number;
  readonly userId?: string;
}

/** What a channel tells besides messages. */
export interface ChannelEvents {
  readonly state: ChannelState;
  readonly subscribed: { readonly attachSerial: number | null };
  /** The subscription was refused, or something on the channel. */
  readonly error: CarillonError;
  /** After each connection that was lost, and where live messages were lost for good. */
  readonly recovery: Recovery;
  readonly rewound: Rewound;
  /** A cache channel has no last event. */
  readonly cacheMiss: undefined;
  /** How many are subscribed, where the app tells that in the channel. */
  readonly count: number;
  /** An update, delete or append of a message. */
  readonly change: Message;
  readonly summary: Summary;
  readonly annotation: AnnotationEvent;
  readonly meta: MetaEvent;
}
