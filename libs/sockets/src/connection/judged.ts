import type { ChannelPattern, Channels, OrdinaryChannel } from '@carillon/channels';
import type { SharedFilters } from '@carillon/filter';
import type { Codec } from '@carillon/realtime';
import type { LoopShare } from '@carillon/runtime';
import type { FrameError, PresenceMember, SubscriptionErrorStatus } from '@carillon/protocol';

/** Why a subscribe fails, as its two frames say it. */
export interface SubscribeFailure {
  readonly kind: 'refused';
  readonly error: FrameError;
  readonly status: SubscriptionErrorStatus;
  /** The signature matches no known secret of the app. */
  readonly isUnsigned?: true;
}

/** What becomes of a subscribe, as far as this process alone can tell. */
export type SubscribeVerdict =
  | SubscribeFailure
  /** Acknowledged and nothing else: what is sent to users comes by their identity. */
  | { readonly kind: 'acknowledged' }
  /** Every public channel that fits. */
  | { readonly kind: 'pattern'; readonly pattern: ChannelPattern }
  /** `member` is null on a channel without members. */
  | { readonly kind: 'accepted'; readonly channel: OrdinaryChannel; readonly member: PresenceMember | null };

/** What of a channel one subscription gets. */
export interface View {
  /** In what it is said; what the subscription is not to get, the codec says nothing of. */
  readonly codec: Codec;
  /** Tells what follows the success frame and the past. Absent: nothing. */
  readonly settled?: () => void;
  /** Called once, when no subscription has it any more. */
  release(): void;
}

/** What judging a subscribe works with. */
export interface Judges {
  readonly channels: Channels;
  readonly filters: SharedFilters;
  /** The part of the event loop in which filters of live messages are evaluated. */
  readonly filterShare: LoopShare;
}

/** What becomes of a subscribe. */
export interface Judged {
  readonly verdict: SubscribeVerdict;
  /** What of the channel it gets if it is accepted, to be given back when that comes to nothing; null: everything. */
  readonly view: View | null;
}
