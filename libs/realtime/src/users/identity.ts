import type { Capabilities } from '@carillon/auth';

/** Signed-in identity of a subscriber. */
export interface Identity {
  readonly userId: string;
  /** JSON text, for presence channels joined without `channel_data`. */
  readonly userInfoText: string;
  /** JSON metadata of the sign-in, for display in the management API; null: none. */
  readonly metaText: string | null;
  /** Users whose online status it watches; empty: none. */
  readonly watchlist: readonly string[];
  readonly capabilities: Capabilities;
  /** Whether it counts among the app's online users; decided at sign-in. */
  readonly isOnline: boolean;
}
