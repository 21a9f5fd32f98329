import type { Stream, Watermark } from '@carillon/history-store';

interface Progress {
  readonly generation: number;
  /** Handed over without a gap up to here. */
  serial: number;
  /** The store knows of it up to here. */
  raised: number;
  /** The next record could not be fanned out or is unknown; records above it do not count until it was sent. */
  stuck: boolean;
  /** No batch reported progress since the last save. */
  rests: boolean;
}

/** A stream, and how far the store knows that it was handed over. */
type Place = Pick<Stream, 'streamKey' | 'generation' | 'fannedOutSerial'>;

/**
 * Fan-out progress of streams beyond the stored watermarks. Holds only streams written within about the last second,
 * and stuck ones.
 */
export class HandedOver {
  readonly #streams = new Map<string, Progress>();

  /** 0: nothing beyond the stored watermark. */
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
   * Returns the first serial below the given one that is neither fanned out nor about to be; null: none, or the
   * stream is known to be stuck.
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

  /** Records a stored watermark. Progress of a generation before a reset is discarded. */
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

  /** Returns the progress that is not stored yet. */
  toRaise(): Watermark[] {
    return this.#marks(isBehind);
  }

  /**
   * Returns the progress that no batch has stored since the last call: a busy stream is saved by its next batch at no
   * cost, and an extra statement would only delay it.
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
