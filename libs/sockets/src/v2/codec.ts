import { randomUUID } from 'node:crypto';
import type { Appends, Codec, Frame, Frames } from '@carillon/realtime';
import { type Fact, frameOfFactV2, type WireFormatV2 } from '@carillon/protocol';

/** Protocol 2 in one wire format, for whoever did not ask for every single annotation. */
export class CodecV2 implements Codec {
  readonly #paced = new Map<string, CodecV2>();
  #withoutTags: CodecV2 | null = null;

  constructor(
    private readonly format: WireFormatV2,
    readonly appends?: Appends,
    /** Says the same to those who are told of appends as they come; null: this one does. */
    private readonly plain: CodecV2 | null = null,
    private readonly showsTags = true,
  ) {}

  /** The one that says the same of everything, but for the tags of messages. */
  get withoutTags(): CodecV2 {
    const { format, appends, plain } = this;
    return (this.#withoutTags ??= new CodecV2(format, appends, plain?.withoutTags ?? null, false));
  }

  /** The one for those who are told of appends like this. */
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

  /** Of whatever fact. */
  frame(fact: Fact): Frame | null {
    const frame = frameOfFactV2(fact, randomUUID);
    if (frame === null) return null;
    return this.format.encode(this.showsTags ? frame : { ...frame, tagsText: null });
  }
}
