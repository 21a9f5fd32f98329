import type { CarillonError } from '../error.js';
import type { Message } from './message.js';

/** The state of a channel. */
export type ChannelState = 'idle' | 'subscribing' | 'subscribed' | 'failed';

/** The outcome of recovering missed messages after a lost connection. */
export type Recovery =
  | { readonly recovered: true; readonly replayed: number; readonly source: 'hot' | 'cold' }
  /** Messages may be missing: read the channel's history. */
  | {
      readonly recovered: false;
      readonly code: string;
      readonly reason: string;
      /** The channel name, if it was subscribed by a pattern. */
      readonly channel?: string;
    };

/** The result of a rewind. */
export interface Rewound {
  readonly historicalCount: number;
  readonly liveCount: number;
  readonly complete: boolean;
  readonly truncatedByRetention: boolean;
  readonly truncatedByLimit: boolean;
}

/** Annotations of one message, summed up by type. */
export interface Summary {
  /** The channel of the message; on a pattern, the matching channel. */
  readonly channel: string;
  readonly messageSerial: string;
  readonly summary: Readonly<Record<string, unknown>>;
}

/** An annotation that was created or deleted. */
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

/** A lifecycle event of the channel that a meta channel observes. */
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

/** Events of a channel other than messages. */
export interface ChannelEvents {
  readonly state: ChannelState;
  readonly subscribed: { readonly attachSerial: number | null };
  /** The subscription was refused, or something on the channel. */
  readonly error: CarillonError;
  /** Emitted after each lost connection, and when live messages are lost permanently. */
  readonly recovery: Recovery;
  readonly rewound: Rewound;
  /** A cache channel has no last event. */
  readonly cacheMiss: undefined;
  /** The number of subscribers, if the app publishes it in the channel. */
  readonly count: number;
  /** An update, delete or append of a message. */
  readonly change: Message;
  readonly summary: Summary;
  readonly annotation: AnnotationEvent;
  readonly meta: MetaEvent;
}
