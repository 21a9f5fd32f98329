import type { Capabilities } from '@carillon/auth';

/** Whom a subscriber is signed in as. */
export interface Identity {
  readonly userId: string;
  /** JSON text, for presence channels joined without `channel_data`. */
  readonly userInfoText: string;
  /** JSON text that came with the sign-in, for whoever looks at the subscriber; null: none. */
  readonly metaText: string | null;
  /** Users whose coming and going it is told; empty: it watches nobody. */
  readonly watchlist: readonly string[];
  readonly capabilities: Capabilities;
  /** Whether it counts among the app's online users, as decided when it signed in. */
  readonly isOnline: boolean;
}
