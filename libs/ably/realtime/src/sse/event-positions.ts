import type { Position } from '../position.js';
import { encodeId, type IdPart, listDigest } from './event-id.js';

interface Slot {
  /** The position at which the stream starts, before its first message. */
  start: IdPart;
  part: IdPart;
  /** Position to report once the rewind is complete; null: none. */
  reached: Position | null;
}

/** Positions of the channels of an event stream, up to which it has sent everything. */
export class EventPositions {
  readonly #slots: readonly Slot[];
  readonly #list: string;
  #stop: number | null = null;
  #id: string | null = null;

  /** @param received parts of the id to resume from, in the order of `names`; null: a fresh start */
  constructor(
    private readonly names: readonly string[],
    received: readonly IdPart[] | null,
  ) {
    this.#list = listDigest(names);
    // Until a channel is attached, a reconnect starts it again.
    this.#slots = names.map((_, index) => {
      const start = received?.[index] ?? 'rewinding';
      return { start, part: start, reached: null };
    });
  }

  /** The id of an event that is sent now. */
  get id(): string {
    this.#id ??= this.#stop === null ? this.#encode('part') : `!${this.#stop}`;
    return this.#id;
  }

  /** The id of the start of the stream, when none of its messages was sent. */
  get firstId(): string {
    return this.#encode('start');
  }

  /** Marks all further ids as stop marks, so that the client does not reconnect. */
  stop(code: number): void {
    this.#stop = code;
    this.#id = null;
  }

  /** A resumed channel continues from the received position. */
  attached(
    name: string,
    position: Position | null,
    { isResumed, isRewinding }: { readonly isResumed: boolean; readonly isRewinding: boolean },
  ): void {
    const slot = this.#slotOf(name);
    if (slot === undefined || isResumed) return;
    slot.reached = position;
    slot.start = isRewinding ? 'rewinding' : (position ?? 'none');
    slot.part = slot.start;
    this.#id = null;
  }

  /** A message was sent. */
  sent(name: string, position: Position): void {
    const slot = this.#slotOf(name);
    if (slot === undefined) return;
    if (slot.part === 'rewinding') {
      if (slot.reached !== null && position.serial > slot.reached.serial) slot.reached = position;
      return;
    }
    slot.part = position;
    this.#id = null;
  }

  /** The rewind of a channel is complete. */
  rewound(name: string): void {
    const slot = this.#slotOf(name);
    if (slot?.part !== 'rewinding' || slot.reached === null) return;
    slot.part = slot.reached;
    this.#id = null;
  }

  #encode(which: 'part' | 'start'): string {
    return encodeId(
      this.#list,
      this.#slots.map((slot) => slot[which]),
    );
  }

  #slotOf(name: string): Slot | undefined {
    return this.#slots[this.names.indexOf(name)];
  }
}
