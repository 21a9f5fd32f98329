import type { ReceivedFrame } from '../format/frame.js';
import { frameOfText } from '../format/json.js';
import { type Delta, DeltaBases, type DeltaDecoder } from './delta-bases.js';

/** So many frames are held while a channel is repaired. */
const MOST_HELD = 5000;

/** Messages that come as differences on one channel, and those that wait while one that did not fit is sent again. */
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

  /** What the next difference may be of. */
  keep({ baseText, sequence, group = '' }: ReceivedFrame): void {
    if (baseText !== undefined && sequence !== undefined) this.#bases.keep(group, sequence, baseText);
  }

  /** What the next differences of each group will be of. */
  sync(
    states: Readonly<Record<string, readonly { readonly content: string; readonly seq: number }[]>>,
  ): void {
    for (const [group, bases] of Object.entries(states)) {
      for (const { content, seq } of bases) this.#bases.keep(group, seq, content);
    }
  }

  /** The message that a difference stands for; null: it does not fit. */
  whole(frame: ReceivedFrame): ReceivedFrame | null {
    const text = this.#bases.apply(frame.data as Delta);
    return text === null ? null : frameOfText(text);
  }

  /** The service starts over; with a repair it also sends again what could not be read. */
  startOver(isRepaired: boolean): void {
    this.#bases.forget();
    if (isRepaired) this.#held = [];
  }

  /** `now`: nothing is in its way. `overflow`: too much is held. */
  hold(frame: ReceivedFrame): 'held' | 'now' | 'overflow' {
    if (this.#held === null || frame.serial === undefined) return 'now';
    this.#held.push(frame);
    return this.#held.length > MOST_HELD ? 'overflow' : 'held';
  }

  /** The repair is over: what was held, in order. */
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
