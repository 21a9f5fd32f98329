import type { AnnotationSummary, Contribution, KnownSummary, NewSummary } from '@carillon/history-store';
import { type Share, Tally } from './tally.js';

/** Texts up to this size are stored with every change: their row is written anyway. */
const SMALL_BYTES = 1024;
/** Approximate bytes of a contribution in the row. */
const CONTRIBUTION_BYTES = 64;

/** Size limits of a summary. */
export interface SummaryLimits {
  /** Bytes of its text with every client. */
  readonly maxBytes: number;
  /** Distinct names. */
  readonly maxNames: number;
}

/** Key of a summary. */
export type SummaryKey = Pick<AnnotationSummary, 'messageSerial' | 'streamKey' | 'type'>;

/**
 * A summary after the last annotation. Its text is stored occasionally, with the contributions since then, so that an
 * annotation of a message with very many clients writes little.
 */
export class RunningSummary {
  readonly tally: Tally;
  #lastNo: number;
  #changedAtMs: number;
  #since: Contribution[];
  /** Whether a text is stored to which the contributions apply. */
  #hasText: boolean;

  private constructor(
    readonly key: SummaryKey,
    stored: AnnotationSummary | null,
  ) {
    this.tally = Tally.of(key.type, stored);
    this.#hasText = stored !== null;
    this.#since = [...(stored?.since ?? [])];
    this.#lastNo = stored?.lastNo ?? 0;
    this.#changedAtMs = stored?.changedAtMs ?? 0;
  }

  static none(key: SummaryKey): RunningSummary {
    return new RunningSummary(key, null);
  }

  static of(stored: AnnotationSummary): RunningSummary {
    const { streamKey, messageSerial, type } = stored;
    return new RunningSummary({ streamKey, messageSerial, type }, stored);
  }

  /** The annotation that changed it last; 0: none. */
  get lastNo(): number {
    return this.#lastNo;
  }

  /** Whether nothing was ever added. */
  get isNew(): boolean {
    return this.#lastNo === 0;
  }

  /** Whether it equals the stored summary. */
  is({ streamKey, messageSerial, type, lastNo }: KnownSummary): boolean {
    const { key } = this;
    return (
      key.streamKey === streamKey &&
      key.messageSerial === messageSerial &&
      key.type === type &&
      this.#lastNo === lastNo
    );
  }

  /**
   * Adds an annotation. Returns the limit that it exceeds, in which case nothing is added; null: it was added. Deletes
   * exceed none.
   */
  add(
    event: Contribution & { readonly annotationNo: number; readonly atMs: number },
    { maxBytes, maxNames }: SummaryLimits,
  ): 'bytes' | 'names' | null {
    const { action, name, clientId, count, annotationNo, atMs } = event;
    const before = this.tally.names;
    const undo: readonly Share[] = this.tally.apply(event);
    const { names, bytes } = this.tally;
    // A summary with more names, written under a higher limit, is still added to.
    const exceeded = names > Math.max(before, maxNames) ? 'names' : bytes > maxBytes ? 'bytes' : null;
    if (action === 'create' && exceeded !== null) {
      this.tally.undo(undo);
      return exceeded;
    }
    this.#since.push({ action, name, clientId, count });
    [this.#lastNo, this.#changedAtMs] = [annotationNo, atMs];
    return null;
  }

  /** Returns the row to store. */
  row(): NewSummary {
    const { key } = this;
    const { streamKey, messageSerial, type } = key;
    const isDue = !this.#hasText || isTextDue(this.tally.bytes, this.#since.length);
    if (isDue) [this.#hasText, this.#since] = [true, []];
    return {
      streamKey,
      messageSerial,
      type,
      summary: isDue ? this.tally.text() : null,
      since: [...this.#since],
      lastNo: this.#lastNo,
      changedAtMs: this.#changedAtMs,
    };
  }
}

/**
 * Total writes of text and contributions are minimal when the text is rewritten after about the square root of its
 * length in contributions.
 */
const isTextDue = (bytes: number, contributions: number): boolean =>
  bytes <= SMALL_BYTES || contributions * contributions * CONTRIBUTION_BYTES >= 2 * bytes;
