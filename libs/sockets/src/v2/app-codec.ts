import type { AppHub, Appends, Codec, Frame, Frames } from '@carillon/realtime';
import type { Fact } from '@carillon/protocol';
import type { CodecV2 } from './codec.js';
import type { Tags } from './tags.js';

/**
 * Protocol 2 in one wire format, as connections of one app get it: with the tags of a message where its channel shows
 * them.
 */
export class AppCodec implements Codec {
  constructor(
    private readonly codec: CodecV2,
    private readonly showsTags: (channel: string) => boolean,
  ) {}

  get appends(): Appends | undefined {
    return this.codec.appends;
  }

  encode(fact: Fact, frames: Frames): Frame | null {
    const hidesTags = fact.kind === 'message' && fact.tagsText !== null && !this.showsTags(fact.channel);
    return (hidesTags ? this.codec.withoutTags : this.codec).encode(fact, frames);
  }

  /** Encodes a fact without tags. */
  frame(fact: Fact): Frame | null {
    return this.codec.frame(fact);
  }
}

/** One for each app and codec, so that its connections share frames and topics. */
export class AppCodecs {
  readonly #ofApps = new WeakMap<AppHub, WeakMap<CodecV2, AppCodec>>();

  constructor(private readonly tags: Tags) {}

  of(hub: AppHub, codec: CodecV2): AppCodec {
    let ofApp = this.#ofApps.get(hub);
    if (ofApp === undefined) this.#ofApps.set(hub, (ofApp = new WeakMap()));
    let made = ofApp.get(codec);
    if (made === undefined) {
      made = new AppCodec(codec, (channel) => this.tags.areShown(hub, channel));
      ofApp.set(codec, made);
    }
    return made;
  }
}
