import type { ChannelPattern, Channels, OrdinaryChannel } from '@carillon/channels';
import type { SharedFilters } from '@carillon/filter';
import type { Codec } from '@carillon/realtime';
import type { LoopShare } from '@carillon/runtime';
import type { FrameError, PresenceMember, SubscriptionErrorStatus } from '@carillon/protocol';

/** The reason a subscribe fails, as reported in its two frames. */
export interface SubscribeFailure {
  readonly kind: 'refused';
  readonly error: FrameError;
  readonly status: SubscriptionErrorStatus;
  /** The signature matches no known secret of the app. */
  readonly isUnsigned?: true;
}

/** The outcome of a subscribe, as far as this process can decide it locally. */
export type SubscribeVerdict =
  | SubscribeFailure
  /** Acknowledged without a subscription: events sent to users are delivered by identity. */
  | { readonly kind: 'acknowledged' }
  /** Every public channel that fits. */
  | { readonly kind: 'pattern'; readonly pattern: ChannelPattern }
  /** `member` is null on a channel without members. */
  | { readonly kind: 'accepted'; readonly channel: OrdinaryChannel; readonly member: PresenceMember | null };

/** The part of a channel that one subscription receives. */
export interface View {
  /** The codec that encodes the subscription's events. It returns null for events that are not delivered. */
  readonly codec: Codec;
  /** Sends the frames that follow the success frame and channel history. Absent if there are none. */
  readonly settled?: () => void;
  /** Called once, when no subscription uses the view any longer. */
  release(): void;
}

/** Dependencies of subscribe validation. */
export interface Judges {
  readonly channels: Channels;
  readonly filters: SharedFilters;
  /** The part of the event loop in which filters of live messages are evaluated. */
  readonly filterShare: LoopShare;
}

/** The result of validating a subscribe. */
export interface Judged {
  readonly verdict: SubscribeVerdict;
  /**
   * The view the subscription gets if it is accepted; must be released if the subscribe fails. Null means the full
   * channel.
   */
  readonly view: View | null;
}
