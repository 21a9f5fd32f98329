import type { SigninFrame, UnsubscribeFrame } from '../inbound/frame.js';
import type { HistoryWish } from './history-wish.js';
import type { ResumePosition } from './resume-position.js';
import type { Rewind } from './read-rewind.js';
import type { ReceivedData } from './received.js';
import type { MalformedFrameV2 } from './malformed.js';

/** A wish to receive a channel, a pattern or a meta channel. The name is only known to be a string. */
export interface SubscribeFrameV2 {
  readonly kind: 'subscribe';
  readonly channel: string;
  /** Null: none given, or an empty one. */
  readonly auth: string | null;
  /** JSON text exactly as signed. Null: none given, or the channel is no presence channel. */
  readonly channelData: string | null;
  /** Filter as sent, to be compiled. Null: none. */
  readonly filter: unknown;
  readonly rewind: Rewind | null;
  /** Value as sent; undefined: missing. */
  readonly delta: unknown;
  /** Whether raw annotations are wanted. */
  readonly wantsAnnotations: boolean;
}

/** An event for the other subscribers of a channel. Nothing but the form is checked. */
export interface ClientEventFrameV2 {
  readonly kind: 'client-event';
  /** Begins with `client-` or `ai-`. */
  readonly event: string;
  readonly channel: string | null;
  readonly data: ReceivedData;
  /** 1 to 64 bytes; null: none given. */
  readonly messageId: string | null;
  /** JSON text of an object, readable by `readExtras`; null: none given. */
  readonly extrasText: string | null;
}

/** A new capability token for this connection. */
export interface AuthFrame {
  readonly kind: 'auth';
  readonly token: string;
}

/** A request for missed messages; channels in the requested order. */
export interface ResumeFrame {
  readonly kind: 'resume';
  readonly positions: ReadonlyMap<string, ResumePosition>;
}

/** New data of a presence member. */
export interface PresenceUpdateFrame {
  readonly kind: 'presence-update';
  readonly channel: string;
  /** JSON text. */
  readonly userInfoText: string;
}

/** A page of a channel's history. */
export interface ChannelHistoryFrame {
  readonly kind: 'channel-history';
  readonly channel: string;
  readonly wish: HistoryWish;
}

/** A wish for differences on all subscriptions of the connection. Null: any algorithm. */
export interface EnableDeltaFrame {
  readonly kind: 'enable-delta';
  readonly algorithms: readonly string[] | null;
}

/** A client lost the bases of a channel. */
export interface DeltaSyncErrorFrame {
  readonly kind: 'delta-sync-error';
  readonly channel: string;
}

/** One frame from a client of protocol 2, as read. */
export type InboundFrameV2 =
  | SubscribeFrameV2
  | UnsubscribeFrame
  | SigninFrame
  | ClientEventFrameV2
  | AuthFrame
  | ResumeFrame
  | PresenceUpdateFrame
  | ChannelHistoryFrame
  | EnableDeltaFrame
  | DeltaSyncErrorFrame
  | { readonly kind: 'ping' }
  | { readonly kind: 'pong' }
  /** Counts as activity and has no other effect. */
  | { readonly kind: 'ignored' }
  | MalformedFrameV2;
