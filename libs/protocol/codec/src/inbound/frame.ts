import type { FrameError } from '../frame-error.js';

/** A wish to receive a channel. The name is only known to be a string. */
export interface SubscribeFrame {
  readonly kind: 'subscribe';
  readonly channel: string;
  /** Null: none given, or an empty one. */
  readonly auth: string | null;
  /** JSON text exactly as signed. Null: none given, or the channel is no presence channel. */
  readonly channelData: string | null;
  /** Whether a rewind is requested, which this protocol does not support. */
  readonly wantsRewind: boolean;
}

/** A wish to receive a channel no longer. */
export interface UnsubscribeFrame {
  readonly kind: 'unsubscribe';
  readonly channel: string;
}

/** Proof of the user's identity. Null: not given. */
export interface SigninFrame {
  readonly kind: 'signin';
  readonly auth: string | null;
  /** JSON text exactly as signed. */
  readonly userData: string | null;
}

/** An event for the other subscribers of a channel. Nothing but the form is checked. */
export interface ClientEventFrame {
  readonly kind: 'client-event';
  /** Begins with `client-` or `ai-`. */
  readonly event: string;
  /** Null: none given, or not a string. */
  readonly channel: string | null;
  /** JSON text of the value exactly as sent, valid on its own. Null: the frame had no `data`. */
  readonly dataText: string | null;
}

/** Intended request of an invalid frame, where the answer depends on it. */
export type SystemRequest = 'subscribe' | 'unsubscribe' | 'signin';

/** A frame that cannot be read. */
export interface MalformedFrame {
  readonly kind: 'malformed';
  /** Null: unknown. A subscribe that names its channel is also answered with `subscription_error`. */
  readonly request: SystemRequest | null;
  readonly error: FrameError;
}

/** A frame that is well known but not for this protocol. */
export interface RefusedFrame {
  readonly kind: 'refused';
  readonly error: FrameError;
}

/** One frame from a client, as read. */
export type InboundFrame =
  | SubscribeFrame
  | UnsubscribeFrame
  | SigninFrame
  | ClientEventFrame
  | { readonly kind: 'ping' }
  | { readonly kind: 'pong' }
  /** Counts as activity and has no other effect. */
  | { readonly kind: 'ignored' }
  | RefusedFrame
  | MalformedFrame;
