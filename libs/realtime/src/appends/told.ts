import type { Frames } from '../codec.js';

/** A fact to be delivered to the subscribers of a channel, and the subscriber to exclude; null excludes none. */
export interface Told {
  readonly frames: Frames;
  readonly exceptSocketId: string | null;
}
