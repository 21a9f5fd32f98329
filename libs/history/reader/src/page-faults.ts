import type { PageQuery, Retained } from '@carillon/history-store';

/** Faults of rows, named as reasons of a degraded state. */
export type FaultReason = 'history_row_unreadable' | 'history_serial_conflict' | 'history_serial_gap';

/** Range of affected serials, inclusive. */
export interface Fault {
  readonly reason: FaultReason;
  readonly fromSerial: number;
  readonly toSerial: number;
}

/** Fields of a row used to find gaps. */
export interface PageRow {
  readonly serial: number;
  readonly atMs: number;
  /** Invisible from then on. */
  readonly untilMs: number;
}

/** Knowledge about a stream besides the rows of a page. */
export interface Known {
  /** The newest serial there was before the page was read. */
  readonly headSerial: number;
  /** The oldest row that was visible still after it was read; null: none was. */
  readonly oldest: Retained['oldest'];
}

/**
 * Returns the faults of a page's rows in the requested order: duplicate serials, and serials missing between rows or
 * between them and the ends of the page. Where time bounds cut the page off is unknown; nothing is expected beyond
 * the newest row before and the oldest row after the read, whatever is published, purged or trimmed meanwhile.
 * Each row expires on its own. A missing row counts as expired if it may have been written under the policy of the
 * row above it and would be expired by that policy: a policy that was shortened once is visible in the rows
 * themselves. One that was shortened and lengthened again is not, and its rows may be reported.
 */
export function faultsOf(rows: readonly PageRow[], asked: PageQuery, known: Known): readonly Fault[] {
  const ascending = asked.newestFirst ? rows.toReversed() : rows;
  const faults: Fault[] = [];
  for (const { from, to, below, above } of spansOf(ascending, asked, known)) {
    if (to < from - 1 && below !== null)
      faults.push({ reason: 'history_serial_conflict', fromSerial: to + 1, toSerial: below.serial });
    const { oldest } = known;
    if (oldest === null) continue;
    const fromSerial = Math.max(from, oldest.serial);
    if (fromSerial <= to && mustBeThere(fromSerial, { below, above }, oldest, asked.nowMs))
      faults.push({ reason: 'history_serial_gap', fromSerial, toSerial: to });
  }
  return faults;
}

/** Serials that no row has, both inclusive, with the rows on both sides; null: the page begins or ends there. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly below: PageRow | null;
  readonly above: PageRow | null;
}

/** Before, between and behind the rows; mostly empty, and less than that where rows are not in their order. */
function spansOf(ascending: readonly PageRow[], asked: PageQuery, known: Known): readonly Span[] {
  const isWhole = ascending.length < asked.limit;
  const low = asked.fromMs === null && (isWhole || !asked.newestFirst) ? (asked.fromSerial ?? 1) : null;
  const high =
    asked.toMs === null && (isWhole || asked.newestFirst)
      ? Math.min(asked.toSerial ?? known.headSerial, known.headSerial)
      : null;
  const [first] = ascending;
  const last = ascending.at(-1);
  const spans: Span[] = [];
  if (first === undefined || last === undefined) {
    if (low !== null && high !== null) spans.push({ from: low, to: high, below: null, above: null });
    return spans;
  }
  if (low !== null && low < first.serial)
    spans.push({ from: low, to: first.serial - 1, below: null, above: first });
  for (const [index, above] of ascending.entries()) {
    const below = ascending[index - 1];
    if (below !== undefined && above.serial !== below.serial + 1)
      spans.push({ from: below.serial + 1, to: above.serial - 1, below, above });
  }
  if (high !== null && last.serial < high)
    spans.push({ from: last.serial + 1, to: high, below: last, above: null });
  return spans;
}

/** Whether rows from there on cannot be over, if they were written under the policy of the row before or behind. */
function mustBeThere(
  from: number,
  { below, above }: Pick<Span, 'above' | 'below'>,
  oldest: NonNullable<Known['oldest']>,
  nowMs: number,
): boolean {
  // The oldest itself was visible later, so it was visible then. Behind the last row nothing expires before it.
  if (from === oldest.serial || above === null) return true;
  const writtenMs = below?.atMs ?? oldest.publishedAtMs;
  return writtenMs + (above.untilMs - above.atMs) > nowMs;
}
