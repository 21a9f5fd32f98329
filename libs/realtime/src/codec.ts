import type { Fact, Message } from '@carillon/protocol';

/** One frame on the wire: a text leaves as a text frame, bytes leave as a binary one. */
export type Frame = string | Uint8Array;

export const frameBytes = (frame: Frame): number =>
  typeof frame === 'string' ? Buffer.byteLength(frame) : frame.byteLength;

/**
 * One way to say facts: a protocol in a wire format, and whatever else makes the frames of some subscribers others than
 * those of the rest. Subscribers with the same codec (the same object) get the same frames, and share a native topic.
 *
 * Promises of every codec:
 * - `encode` never throws, waits for nothing and sends nothing.
 * - A fact that subscribers of this codec are not told of is null; so is one that a filter keeps from them.
 *
 * Promises to every codec:
 * - `encode` is asked at most once of each fact that is delivered, and only when a subscriber of this codec is here to get
 *   it; of the facts of one channel, in the order in which subscribers get them. A codec may therefore remember what it
 *   said last, as deltas must, if it serves one channel alone. All its subscribers then get everything it says: whoever
 *   is held back, or was left out of a message of a server, goes on with `held`, and begins anew with the `live` of that.
 *
 * A variant is one more codec: that of a filter asks `frames` for the frame of the codec it narrows, so that the same
 * bytes are shared by all filters that let a message through; whoever makes such codecs keeps one for equal filters.
 */
export interface Codec {
  encode(fact: Fact, frames: Frames): Frame | null;
  /**
   * What of a channel its subscribers get, where they may have several views of one at once: codecs of the same view follow
   * each other, those of others stand beside them. Absent: the one that everybody has who has no other.
   */
  readonly view?: string | undefined;
  /** What its subscribers may do on their channel. Absent: what everybody may on a channel of this kind. */
  readonly roles?: Roles | undefined;
  /** How its subscribers want appends; a variant says what the codec says that it narrows. Absent: each as it comes. */
  readonly appends?: Appends | undefined;
  /**
   * What a codec that remembers is for those who may not get everything of it, and for messages of the past, which come
   * out of turn. Absent: the same, nothing is remembered.
   */
  readonly held?: Codec;
  /** Whether a message it says nothing of was kept from its subscribers by a filter. Absent: it was not meant for them. */
  readonly filters?: boolean;
  /** Literals that a message must carry for this codec to encode it. Absent: the codec evaluates every message. */
  readonly selector?: LiteralSelector | undefined;
  /** Whether whoever was left out of a message of a client begins anew too. Absent: only of one of a server. */
  readonly remembersClients?: boolean;
  /**
   * Whether a fact has to be evaluated in a later turn of the event loop, because the share of filters is used up. Absent:
   * never. Called for every fact of its audience as it comes, in order, also if earlier ones wait.
   */
  isDeferred?(frames: Frames): boolean;
  /** What it is for a subscriber that begins to receive now. Absent: the same. */
  live?(): Codec;
  /** Forgets the codec's state when a subscriber begins behind messages that waited for evaluation. */
  renew?(): void;
  /** So many of an app were handed what it said of a fact. It must cost no more than an addition. Absent: nobody counts. */
  told?(frames: Frames, receivers: number, appId: string): void;
  /** Nobody of its one channel has it any more. */
  left?(): void;
}

/** Literal values of messages, so that codecs are found by a hash lookup instead of an evaluation of their filters. */
export interface LiteralSelector {
  /** A message that carries none of them has no frame. */
  readonly literals: readonly string[];
  /** Returns the literals that a message carries. The same function for all codecs of one kind. */
  readonly literalsOf: (message: Message) => ReadonlySet<string>;
}

/** What subscribers may do on their channel, as its occupancy tells it. */
export interface Roles {
  readonly publishes: boolean;
  readonly subscribes: boolean;
  /** It may be a member. */
  readonly enters: boolean;
  /** It is told of members. */
  readonly seesMembers: boolean;
}

/** How subscribers are told of appends to messages. */
export interface Appends {
  /** Those of one stream of an answer within so long come as one; 0: each as it comes. */
  readonly windowMs: number;
  /** Whether each tells the whole text instead of what was appended. */
  readonly wholes: boolean;
}

/** What is made of one fact in this process: of each codec, once. */
export class Frames {
  #codec: Codec | null = null;
  #frame: Frame | null = null;
  #others: Map<Codec, Frame | null> | null = null;

  constructor(
    readonly fact: Fact,
    /** When it was said first; null: now. */
    readonly atMs: number | null = null,
  ) {}

  /** Whether it was made for the codec already. */
  has(codec: Codec): boolean {
    return this.#codec === codec || this.#others?.has(codec) === true;
  }

  /** The frame that subscribers of the codec get; null: none. */
  of(codec: Codec): Frame | null {
    if (this.#codec === codec) return this.#frame;
    const known = this.#others?.get(codec);
    if (known !== undefined) return known;
    const frame = codec.encode(this.fact, this);
    if (this.#codec === null) {
      this.#codec = codec;
      this.#frame = frame;
    } else {
      this.#others ??= new Map();
      this.#others.set(codec, frame);
    }
    return frame;
  }
}
