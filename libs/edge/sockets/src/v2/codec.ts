import { randomUUID } from 'node:crypto';
import type { Codec, Frame } from '@carillon/hub';
import { type Fact, frameOfFactV2, type WireFormatV2 } from '@carillon/protocol';

/** Protocol 2 in one wire format, for whoever did not ask for every single annotation. */
export class CodecV2 implements Codec {
  constructor(private readonly format: WireFormatV2) {}

  encode(fact: Fact): Frame | null {
    return fact.kind === 'annotated' ? null : this.frame(fact);
  }

  /** Of whatever fact. */
  frame(fact: Fact): Frame | null {
    const frame = frameOfFactV2(fact, randomUUID);
    return frame === null ? null : this.format.encode(frame);
  }
}
