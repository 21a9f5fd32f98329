import type { Frames } from '../codec.js';

/** A fact on its way to the subscribers of a channel, and who of them is not told; null: all are. */
export interface Told {
  readonly frames: Frames;
  readonly exceptSocketId: string | null;
}
