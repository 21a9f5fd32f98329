import type { ReceivedFrame } from '../format/frame.js';
import { frameOfText } from '../format/json.js';
import { type Delta, DeltaBases, type DeltaDecoder } from './delta-bases.js';

/** The limit of frames held while a channel is resynchronized. */
const MAX_HELD = 5000;

/** Decodes the deltas of one channel, and holds messages while a delta that could not be decoded is resent. */
export class Differences {
  readonly #bases: DeltaBases;
  /** Null: there is no repair. */
  #held: ReceivedFrame[] | null = null;

  constructor(decoders: readonly DeltaDecoder[]) {
    this.#bases = new DeltaBases(decoders);
  }

  get areRepaired(): boolean {
    return this.#held !== null;
  }

  /** Stores a frame as the base of later deltas. */
  keep({ baseText, sequence, group = '' }: ReceivedFrame): void {
    if (baseText !== undefined && sequence !== undefined) this.#bases.keep(group, sequence, baseText);
  }

  /** Sets the bases of each group, as sent by the service. */
  sync(
    states: Readonly<Record<string, readonly { readonly content: string; readonly seq: number }[]>>,
  ): void {
    for (const [group, bases] of Object.entries(states)) {
      for (const { content, seq } of bases) this.#bases.keep(group, seq, content);
    }
  }

  /** Returns the full message of a delta, or null if it cannot be applied. */
  whole(frame: ReceivedFrame): ReceivedFrame | null {
    const text = this.#bases.apply(frame.data as Delta);
    return text === null ? null : frameOfText(text);
  }

  /** The service resets its bases. With a repair it also resends the messages that could not be decoded. */
  startOver(isRepaired: boolean): void {
    this.#bases.forget();
    if (isRepaired) this.#held = [];
  }

  /** `now`: nothing is in its way. `overflow`: too much is held. */
  hold(frame: ReceivedFrame): 'held' | 'now' | 'overflow' {
    if (this.#held === null || frame.serial === undefined) return 'now';
    this.#held.push(frame);
    return this.#held.length > MAX_HELD ? 'overflow' : 'held';
  }

  /** Ends the repair and returns the held frames in order. */
  release(): readonly ReceivedFrame[] {
    const held = this.#held ?? [];
    this.#held = null;
    return held.sort((one, other) => (one.serial ?? 0) - (other.serial ?? 0));
  }

  forget(): void {
    this.#held = null;
    this.#bases.forget();
  }
}
