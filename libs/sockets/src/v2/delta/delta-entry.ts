import type { Appends, Codec, Frame, Frames, LiteralSelector } from '@carillon/realtime';
import type { Fact } from '@carillon/protocol';
import type { DeltaVariant } from './delta-variant.js';

/** Bases that a subscriber was shown. */
export interface ShownBases {
  /** Of the channel at that moment. */
  readonly version: number;
  readonly bases: ReadonlyMap<string, string>;
}

/** Lets subscribers begin with what others who begin now begin with. */
export type Begin = (entry: DeltaEntry) => Codec;

/**
 * A subscription with differences before it receives, and again whenever it is held back: it is told things in full and
 * holds no bases, until it receives.
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

  /** The same without what was shown, which counts for the first beginning alone. */
  again(): DeltaEntry {
    return new DeltaEntry(this.variant, this.begin);
  }
}
