import type { Appends, Codec, Frame, Frames } from '@carillon/realtime';
import type { Fact } from '@carillon/protocol';
import type { AppCodec } from './app-codec.js';

/** A codec for subscribers that receive individual annotation events in addition to summaries. */
class AnnotatedCodec implements Codec {
  constructor(private readonly base: AppCodec) {}

  get appends(): Appends | undefined {
    return this.base.appends;
  }

  encode(fact: Fact, frames: Frames): Frame | null {
    return fact.kind === 'annotated' ? this.base.frame(fact) : frames.of(this.base);
  }
}

const codecs = new WeakMap<AppCodec, Codec>();

/** The one such codec over a codec: their subscribers share frames and topics. */
export function annotatedCodec(base: AppCodec): Codec {
  let codec = codecs.get(base);
  if (codec === undefined) codecs.set(base, (codec = new AnnotatedCodec(base)));
  return codec;
}
