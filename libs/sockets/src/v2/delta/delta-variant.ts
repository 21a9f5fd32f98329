import type { DeltaAlgorithm } from '@carillon/delta';
import type { Codec } from '@carillon/realtime';
import type { FrameV2 } from '@carillon/protocol';

/** Which differences some subscribers of a channel get. */
export interface DeltaVariant {
  /** What is said in full: the codec of the format, or one narrowed by a filter. */
  readonly base: Codec;
  readonly algorithm: DeltaAlgorithm;
  readonly write: (frame: FrameV2) => string;
}
