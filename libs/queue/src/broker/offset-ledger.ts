import { OffsetRanges } from './offset-ranges.js';

/** The commit of a consumer for one partition. */
export interface CommittedPosition {
  /** Every record below it is settled. */
  readonly offset: number;
  /** Records above it that were handed out or settled, as text for the metadata of the commit. */
  readonly metadata: string;
}

/**
 * State of a received record. `redelivered`: received before by a consumer that has ended. `known`: settled, or
 * received before by this consumer.
 */
export type Receipt = 'known' | 'new' | 'redelivered';

const VERSION = '1';
const RADIX = 36;
/** Below the default `offset.metadata.max.bytes` of brokers, 4096. */
const MAX_METADATA_BYTES = 4000;

/**
 * Delivery state of one partition. Jobs are settled in any order, but a consumer group commits one offset: the ledger
 * computes the low-water mark, and encodes the state of records above it into the metadata of the commit, so that the
 * next consumer does not repeat settled jobs and counts deliveries that a dead consumer began.
 */
export class OffsetLedger {
  #low: number;
  /** The first offset that was not received. */
  #next: number;
  /** Handed out and not settled, at or above `#low`. */
  readonly #handed: OffsetRanges;
  /** Settled, above `#low`. */
  readonly #settled: OffsetRanges;

  private constructor(offset: number, handed: OffsetRanges, settled: OffsetRanges) {
    this.#low = offset;
    this.#next = offset;
    this.#handed = handed;
    this.#settled = settled;
  }

  /** Continues from a commit. Metadata of another version is ignored: its settled jobs run again. */
  static restore({ offset, metadata }: CommittedPosition): OffsetLedger {
    const [version, handed = '', settled = ''] = metadata.split(';');
    const isReadable = version === VERSION;
    return new OffsetLedger(
      offset,
      decodeRanges(isReadable ? handed : '', offset),
      decodeRanges(isReadable ? settled : '', offset),
    );
  }

  get handedCount(): number {
    return this.#handed.size;
  }

  get settledCount(): number {
    return this.#settled.size;
  }

  /** Records are received in order of their offsets. Skipped offsets hold no records and count as settled. */
  receive(offset: number): Receipt {
    if (offset < this.#next) return 'known';
    if (offset > this.#next) this.#settle(this.#next, offset - 1);
    this.#next = offset + 1;
    if (offset < this.#low || this.#settled.has(offset)) return 'known';
    return this.#handed.has(offset) ? 'redelivered' : 'new';
  }

  handOut(offset: number): void {
    this.#handed.add(offset);
  }

  settle(offset: number): void {
    this.#settle(offset, offset);
  }

  position(): CommittedPosition {
    const handed = encodeRanges(this.#handed, this.#low, MAX_METADATA_BYTES - VERSION.length - 2);
    const left = MAX_METADATA_BYTES - VERSION.length - 2 - handed.length;
    const settled = encodeRanges(this.#settled, this.#low, left);
    return { offset: this.#low, metadata: `${VERSION};${handed};${settled}` };
  }

  #settle(first: number, last: number): void {
    for (let offset = first; offset <= last && !this.#handed.isEmpty; offset += 1)
      this.#handed.remove(offset);
    this.#settled.add(first, last);
    this.#low = this.#settled.takeFrom(this.#low);
  }
}

/** Ranges relative to `base`, ascending, as many as fit. */
function encodeRanges(ranges: OffsetRanges, base: number, maxBytes: number): string {
  const texts: string[] = [];
  let bytes = 0;
  for (const [first, last] of ranges) {
    const start = (first - base).toString(RADIX);
    const text = first === last ? start : `${start}-${(last - base).toString(RADIX)}`;
    bytes += text.length + 1;
    if (bytes > maxBytes) break;
    texts.push(text);
  }
  return texts.join(',');
}

function decodeRanges(text: string, base: number): OffsetRanges {
  const ranges = new OffsetRanges();
  for (const part of text === '' ? [] : text.split(',')) {
    const [start = '', end = start] = part.split('-');
    const [first, last] = [Number.parseInt(start, RADIX), Number.parseInt(end, RADIX)];
    if (first >= 0 && last >= first) ranges.add(base + first, base + last);
  }
  return ranges;
}
