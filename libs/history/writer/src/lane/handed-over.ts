import type { Stream, Watermark } from '@carillon/history-store';

interface Progress {
  readonly generation: number;
  /** Handed over without a gap up to here. */
  serial: number;
  /** The store knows of it up to here. */
  raised: number;
  /** The next could not be handed over, or nobody knows of it; what is above does not count until that was done. */
  stuck: boolean;
  /** Nothing was told of it since it was last asked what to raise. */
  rests: boolean;
}

/** A stream, and how far the store knows that it was handed over. */
type Place = Pick<Stream, 'streamKey' | 'generation' | 'fannedOutSerial'>;

/**
 * How far each stream was handed to the gateways, as far as the store does not know yet. It holds only the streams that
 * were written in the last second or so, and those that could not be handed over.
 */
export class HandedOver {
  readonly #streams = new Map<string, Progress>();

  /** 0: nothing beyond what the store says. */
  serialOf({ streamKey, generation }: Pick<Stream, 'streamKey' | 'generation'>): number {
    const progress = this.#streams.get(streamKey);
    return progress?.generation === generation ? progress.serial : 0;
  }

  /** False: something before it may not have been handed over, and has to be first. */
  handed(stream: Place, serial: number): boolean {
    const progress = this.#progress(stream);
    if (progress === null || progress.serial >= serial) return true;
    progress.stuck ||= serial > progress.serial + 1;
    if (progress.stuck) return false;
    progress.serial = serial;
    return true;
  }

  /**
   * The first below that serial that nobody has handed over or is about to; null: there is none, or it is known that
   * some could not be handed over.
   */
  firstMissing(stream: Place, serial: number): number | null {
    const progress = this.#progress(stream);
    if (progress === null || progress.stuck || serial <= progress.serial + 1) return null;
    return progress.serial + 1;
  }

  failed(stream: Place, serial: number): void {
    const progress = this.#progress(stream);
    if (progress !== null && progress.serial < serial) progress.stuck = true;
  }

  /** Everything up to there was sent again. */
  caughtUp(stream: Place, serial: number): void {
    const progress = this.#progress(stream);
    if (progress === null) return;
    progress.stuck = false;
    progress.serial = Math.max(progress.serial, serial);
  }

  /** The store was told, or told us. What was before a reset is nothing to anybody any more. */
  raised({ streamKey, generation, serial }: Watermark): void {
    const progress = this.#streams.get(streamKey);
    if (progress === undefined || progress.generation > generation) return;
    if (progress.generation < generation) {
      this.#streams.delete(streamKey);
      return;
    }
    progress.raised = Math.max(progress.raised, serial);
    progress.rests = false;
    if (progress.raised >= progress.serial && !progress.stuck) this.#streams.delete(streamKey);
  }

  /** Whether there is anything that the store does not know yet. */
  get behind(): boolean {
    return [...this.#streams.values()].some(isBehind);
  }

  /** What the store does not know yet. */
  toRaise(): Watermark[] {
    return this.#marks(isBehind);
  }

  /**
   * The part of it that no batch has told of since this was last asked: a stream that is written all the time is told
   * of by its next batch for free, and a statement of its own would only stand in its way.
   */
  resting(): Watermark[] {
    const resting = this.#marks((progress) => isBehind(progress) && progress.rests);
    for (const progress of this.#streams.values()) progress.rests = true;
    return resting;
  }

  #marks(which: (progress: Progress) => boolean): Watermark[] {
    return [...this.#streams]
      .filter(([, progress]) => which(progress))
      .map(([streamKey, { generation, serial }]) => ({ streamKey, generation, serial }));
  }

  /** Whether anything could not be handed over. */
  get stuck(): boolean {
    return [...this.#streams.values()].some(({ stuck }) => stuck);
  }

  /** Null: the stream was reset since. */
  #progress({ streamKey, generation, fannedOutSerial: serial }: Place): Progress | null {
    const found = this.#streams.get(streamKey);
    if (found !== undefined && found.generation >= generation)
      return found.generation === generation ? found : null;
    const made: Progress = { generation, serial, raised: serial, stuck: false, rests: false };
    this.#streams.set(streamKey, made);
    return made;
  }
}

const isBehind = ({ serial, raised }: Progress): boolean => serial > raised;
