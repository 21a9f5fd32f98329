import type { ReceivedFrame } from '../format/frame.js';

/** The last position of a channel's stream that this client has seen. */
export interface Position {
  readonly streamId: string;
  readonly serial: number;
  readonly lastMessageId?: string;
}

/** `reset`: deliver, but the messages between the old stream and this one are unknown. */
export type Taken = 'deliver' | 'duplicate' | 'reset';

/** The number of recent message ids used for deduplication. A resent message carries its original id. */
const MAX_IDS = 256;
/** The number of remembered serials of messages from before the subscription. */
const MAX_BEFORE = 5000;

/** Tracks which frames of one channel were already delivered. Serials may have gaps because of filters. */
export class Continuity {
  #position: Position | null = null;
  /**
   * Messages above `#after` and up to `#floor` are from before the subscription: rewound ones, or the last of a cache
   * channel. Each of them is new once.
   */
  #after = 0;
  #floor = 0;
  readonly #before = new Set<number>();
  readonly #ids = new Set<string>();

  /** Null: the channel keeps no positions, or nothing is known yet. */
  get position(): Position | null {
    return this.#position;
  }

  /**
   * Sets the position of a subscription; messages between it and the last position were not delivered. Null: the
   * channel reports no position, and the known one is kept. `isOther`: the subscription selects other messages than
   * before, so that earlier ones may also be new.
   */
  attach(told: Position | null, isOther = false): void {
    const known = this.#position;
    const position = told ?? (isOther ? known : null);
    if (position === null) return;
    const sameStream = known?.streamId === position.streamId;
    const isKnown = sameStream && known.serial >= position.serial;
    if (isKnown && !isOther) return;
    const reached = isKnown ? known : position;
    this.#position = reached;
    this.#after = sameStream && !isOther ? known.serial : 0;
    this.#floor = reached.serial;
    this.#before.clear();
  }

  /** The service has accounted for everything up to here: delivered, or left out by a filter. */
  advance(position: Position): void {
    const known = this.#position;
    if (known?.streamId === position.streamId && known.serial > position.serial) return;
    this.#position = position;
  }

  /** From now on nothing from before the subscription is new. */
  seal(): void {
    this.#floor = 0;
    this.#before.clear();
  }

  /** Decides how to handle a frame. No frame with a serial or an id is delivered twice. */
  take(frame: ReceivedFrame): Taken {
    const taken = this.#place(frame);
    if (taken === 'duplicate' || frame.messageId === undefined) return taken;
    // One publish to several channels has one id, and a pattern may match them all.
    const id = `${frame.channel} ${frame.messageId}`;
    if (this.#ids.has(id)) return 'duplicate';
    this.#ids.add(id);
    if (this.#ids.size > MAX_IDS) this.#ids.delete(first(this.#ids) ?? '');
    return taken;
  }

  #place({ streamId, serial, messageId: lastMessageId }: ReceivedFrame): Taken {
    if (streamId === undefined || serial === undefined) return 'deliver';
    const known = this.#position;
    const reached = { streamId, serial, ...(lastMessageId === undefined ? {} : { lastMessageId }) };
    if (known !== null && known.streamId !== streamId) {
      this.#position = reached;
      this.seal();
      return 'reset';
    }
    if (known === null || serial > known.serial) {
      this.#position = reached;
      return 'deliver';
    }
    if (serial > this.#floor || serial <= this.#after || this.#before.has(serial)) return 'duplicate';
    if (this.#before.size >= MAX_BEFORE) this.#before.delete(first(this.#before) ?? 0);
    this.#before.add(serial);
    return 'deliver';
  }
}

const first = <Value>(values: ReadonlySet<Value>): Value | undefined => values.values().next().value;
