import type { DeltaAlgorithm } from '@carillon/delta';
import type { Codec } from '@carillon/realtime';
import type { FrameV2 } from '@carillon/protocol';

/** The delta settings shared by some subscribers of a channel. */
export interface DeltaVariant {
  /** The codec of full messages: that of the format, or one narrowed by a filter. */
  readonly base: Codec;
  readonly algorithm: DeltaAlgorithm;
  readonly write: (frame: FrameV2) => string;
}
