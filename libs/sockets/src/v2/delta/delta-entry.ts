import type { Appends, Codec, Frame, Frames, LiteralSelector } from '@carillon/realtime';
import type { Fact } from '@carillon/protocol';
import type { DeltaVariant } from './delta-variant.js';

/** Bases that a subscriber was shown. */
export interface ShownBases {
  /** The version of the channel when the bases were read. */
  readonly version: number;
  readonly bases: ReadonlyMap<string, string>;
}

/** Returns the codec of the cohort that subscribers who start now join. */
export type Begin = (entry: DeltaEntry) => Codec;

/**
 * The codec of a delta subscription before it receives live events, and whenever it is held back. Until then it
 * receives full messages and holds no bases.
 */
export class DeltaEntry implements Codec {
  /** Absent without a filter. */
  readonly isDeferred?: (frames: Frames) => boolean;
  /** Null: none were shown. */
  shown: ShownBases | null = null;

  constructor(
    readonly variant: DeltaVariant,
    private readonly begin: Begin,
  ) {
    const { base } = variant;
    if (base.isDeferred !== undefined) this.isDeferred = (frames) => base.isDeferred?.(frames) === true;
  }

  get appends(): Appends | undefined {
    return this.variant.base.appends;
  }

  get selector(): LiteralSelector | undefined {
    return this.variant.base.selector;
  }

  get filters(): boolean | undefined {
    return this.variant.base.filters;
  }

  encode(_: Fact, frames: Frames): Frame | null {
    return frames.of(this.variant.base);
  }

  live(): Codec {
    return this.begin(this);
  }

  /** A copy without the shown bases, which are valid only for the first start. */
  again(): DeltaEntry {
    return new DeltaEntry(this.variant, this.begin);
  }
}
