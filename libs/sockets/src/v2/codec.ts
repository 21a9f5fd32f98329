import { randomUUID } from 'node:crypto';
import type { Appends, Codec, Frame, Frames } from '@carillon/realtime';
import { type Fact, frameOfFactV2, type WireFormatV2 } from '@carillon/protocol';

/** Protocol 2 in one wire format, for subscribers without individual annotation events. */
export class CodecV2 implements Codec {
  readonly #paced = new Map<string, CodecV2>();
  #withoutTags: CodecV2 | null = null;

  constructor(
    private readonly format: WireFormatV2,
    readonly appends?: Appends,
    /** The codec with the same output and immediate appends; null if that is this codec. */
    private readonly plain: CodecV2 | null = null,
    private readonly showsTags = true,
  ) {}

  /** The same codec without message tags. */
  get withoutTags(): CodecV2 {
    const { format, appends, plain } = this;
    return (this.#withoutTags ??= new CodecV2(format, appends, plain?.withoutTags ?? null, false));
  }

  /** The codec for subscribers with these append options. */
  paced(appends: Appends): CodecV2 {
    const key = `${appends.windowMs} ${appends.wholes}`;
    let codec = this.#paced.get(key);
    if (codec === undefined) this.#paced.set(key, (codec = new CodecV2(this.format, appends, this)));
    return codec;
  }

  encode(fact: Fact, frames: Frames): Frame | null {
    if (fact.kind === 'annotated') return null;
    return this.plain === null ? this.frame(fact) : frames.of(this.plain);
  }

  /** Encodes any fact. */
  frame(fact: Fact): Frame | null {
    const frame = frameOfFactV2(fact, randomUUID);
    if (frame === null) return null;
    return this.format.encode(this.showsTags ? frame : { ...frame, tagsText: null });
  }
}
