import type { Fact, Message } from '@carillon/protocol';

/** One frame on the wire: a string is sent as a text frame, bytes as a binary frame. */
export type Frame = string | Uint8Array;

export const frameBytes = (frame: Frame): number =>
  typeof frame === 'string' ? Buffer.byteLength(frame) : frame.byteLength;

/**
 * Encodes facts as frames: a protocol in a wire format, plus any option that makes the frames of some subscribers
 * differ. Subscribers with the same codec object receive the same frames and share a native topic.
 *
 * Guarantees of every codec:
 * - `encode` never throws, never blocks and sends nothing.
 * - It returns null for a fact that is not delivered to subscribers of this codec, for example one removed by a
 *   filter.
 *
 * Guarantees to every codec:
 * - `encode` is called at most once per delivered fact, only if a subscriber of this codec exists in this process,
 *   and in the order in which subscribers receive the facts of one channel. A codec of a single channel may therefore
 *   keep state, as deltas require. All its subscribers then receive every frame: a subscriber that is held back or
 *   excluded from a server's message continues with `held`, and later restarts with the `live` of that.
 *
 * A variant is a separate codec: a filter's codec requests the frame of the codec it narrows from `frames`, so that
 * all filters that pass a message share the same bytes. The creator of such codecs keeps one per distinct filter.
 */
export interface Codec {
  encode(fact: Fact, frames: Frames): Frame | null;
  /**
   * The view of the channel that its subscribers receive, where one subscriber may have several at once. Codecs of
   * the same view replace each other; those of different views coexist. Absent: the default view.
   */
  readonly view?: string | undefined;
  /** Roles of its subscribers on their channel. Absent: the defaults for this kind of channel. */
  readonly roles?: Roles | undefined;
  /** Append options of its subscribers; a variant has the options of the codec it narrows. Absent: unpaced. */
  readonly appends?: Appends | undefined;
  /**
   * For a stateful codec: its stateless form, for subscribers that may miss frames and for historical messages, which
   * are out of order. Absent: the codec is stateless.
   */
  readonly held?: Codec;
  /** Whether a message without a frame was removed by a filter. Absent: it was not meant for these subscribers. */
  readonly filters?: boolean;
  /** Literals that a message must carry for this codec to encode it. Absent: the codec evaluates every message. */
  readonly selector?: LiteralSelector | undefined;
  /**
   * Whether subscribers excluded from a client's message must restart too. Absent: only those excluded from a
   * server's message.
   */
  readonly remembersClients?: boolean;
  /**
   * Whether a fact has to be evaluated in a later turn of the event loop, because the share of filters is used up.
   * Absent: never. Called for every fact of its audience as it comes, in order, also if earlier ones wait.
   */
  isDeferred?(frames: Frames): boolean;
  /** Returns the codec for a subscriber that begins to receive now. Absent: this codec. */
  live?(): Codec;
  /** Forgets the codec's state when a subscriber begins behind messages that waited for evaluation. */
  renew?(): void;
  /**
   * Called with the number of subscribers of an app that a frame was delivered to. Must cost no more than an
   * addition. Absent: not counted.
   */
  told?(frames: Frames, receivers: number, appId: string): void;
  /** The last subscriber of its channel left this codec. */
  left?(): void;
}

/** Literal values of messages, so that codecs are found by a hash lookup instead of an evaluation of their filters. */
export interface LiteralSelector {
  /** A message that carries none of them has no frame. */
  readonly literals: readonly string[];
  /** Returns the literals that a message carries. The same function for all codecs of one kind. */
  readonly literalsOf: (message: Message) => ReadonlySet<string>;
}

/** Roles of subscribers on their channel, as reported by its occupancy. */
export interface Roles {
  readonly publishes: boolean;
  readonly subscribes: boolean;
  /** It may enter presence. */
  readonly enters: boolean;
  /** It receives presence events. */
  readonly seesMembers: boolean;
}

/** Options of subscribers for appends to messages. */
export interface Appends {
  /** Roll-up window per message stream, in milliseconds; 0 delivers each append separately. */
  readonly windowMs: number;
  /** Whether each frame carries the whole text instead of the appended fragment. */
  readonly wholes: boolean;
}

/** The frames of one fact in this process, encoded once per codec. */
export class Frames {
  #codec: Codec | null = null;
  #frame: Frame | null = null;
  #others: Map<Codec, Frame | null> | null = null;

  constructor(
    readonly fact: Fact,
    /** Time of the original delivery; null: now. */
    readonly atMs: number | null = null,
  ) {}

  /** Whether the frame of this codec was encoded already. */
  has(codec: Codec): boolean {
    return this.#codec === codec || this.#others?.has(codec) === true;
  }

  /** Returns the frame for subscribers of the codec; null: none. */
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
