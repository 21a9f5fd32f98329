import type { StreamKind } from '../model/stream.js';
import type { StoredRow } from './draft.js';
import { KIND, lastNumber, type RowKind, serialRange, sortOf } from './keys.js';
import type { StreamReader } from './reader.js';
import { decodeEvent, decodeRecord, type EventRow, type RecordRow, type RowOwner } from './rows.js';

/** A row of a history, as far as searching it needs. */
export interface Entry {
  readonly serial: number;
  readonly deliverySerial: number;
  readonly atMs: number;
  /** Invisible from then on. */
  readonly untilMs: number;
  readonly size: number;
  /** Bytes of the history of this generation up to this row. */
  readonly sumBytes: number;
  /** The row itself where it was read with the entry. */
  readonly record?: RecordRow;
  readonly event?: EventRow;
}

/** Content of a row of kind `history`: it leads to a record whose delivery serial differs from its history serial. */
export const encodeEntry = (row: RecordRow): string =>
  JSON.stringify([
    row.deliverySerial,
    row.publishedAtMs,
    row.historyUntilMs ?? 0,
    row.payloadSize,
    row.sumBytes,
  ]);

function decodeEntry(serial: number, value: string): Entry {
  const fields = JSON.parse(value) as [number, number, number, number, number];
  const [deliverySerial, atMs, untilMs, size, sumBytes] = fields;
  return { serial, deliverySerial, atMs, untilMs, size, sumBytes };
}

const entryOfRecord = (record: RecordRow): Entry => ({
  serial: record.historySerial ?? 0,
  deliverySerial: record.deliverySerial,
  atMs: record.publishedAtMs,
  untilMs: record.historyUntilMs ?? 0,
  size: record.payloadSize,
  sumBytes: record.sumBytes,
  record,
});

const entryOfEvent = (event: EventRow): Entry => ({
  serial: event.serial,
  deliverySerial: event.serial,
  atMs: event.atMs,
  untilMs: event.keepUntilMs,
  size: event.bodySize,
  sumBytes: event.sumBytes,
  event,
});

/** Rows of the history by serial, from one kind of row. */
interface Segment {
  readonly kind: RowKind;
  readonly from: number;
  readonly to: number;
}

export interface EntriesOf extends RowOwner {
  readonly kind: StreamKind;
  /** The first history serial that differs from its delivery serial; null: none does. */
  readonly firstShifted: number | null;
}

/** Entries that one round of a search reads. */
const PROBES = 15;

/** The rows of one history in the order of their serials, wherever they are. */
export class HistoryEntries {
  constructor(
    private readonly reader: StreamReader,
    private readonly of: EntriesOf,
  ) {}

  /** Entries between two serials, both inclusive. */
  async *each(
    from: number,
    to: number,
    { reverse = false, atOnce }: { readonly reverse?: boolean; readonly atOnce?: number } = {},
  ): AsyncGenerator<Entry> {
    const segments = this.#segments(from, to);
    const how = { reverse, limit: Infinity, ...(atOnce === undefined ? {} : { atOnce }) };
    for (const segment of reverse ? segments.reverse() : segments) {
      const range = serialRange(this.of.generation, segment.kind, segment.from, segment.to);
      for await (const row of this.reader.each(this.of.streamKey, range, how)) {
        const entry = this.#entryOf(segment.kind, row);
        if (entry !== null) yield entry;
      }
    }
  }

  async first(from: number, to: number): Promise<Entry | null> {
    for await (const entry of this.each(from, to, { atOnce: 1 })) return entry;
    return null;
  }

  async last(from: number, to: number): Promise<Entry | null> {
    for await (const entry of this.each(from, to, { reverse: true, atOnce: 1 })) return entry;
    return null;
  }

  /**
   * The lowest serial from which on the condition holds, provided that it holds for all entries above one for which it
   * does; `to + 1`: it holds for none.
   */
  async firstWhere(from: number, to: number, holds: (entry: Entry) => boolean): Promise<number> {
    const first = await this.first(from, to);
    if (first === null) return to + 1;
    if (holds(first)) return first.serial;
    let [low, high] = [first.serial + 1, to + 1];
    while (high - low > PROBES) {
      const step = (high - low) / (PROBES + 1);
      const serials = Array.from({ length: PROBES }, (_, index) => Math.floor(low + step * (index + 1)));
      const probes = await this.#at(serials);
      if (probes.length === 0) break;
      for (const probe of probes) {
        if (holds(probe)) high = Math.min(high, probe.serial);
        else low = Math.max(low, probe.serial + 1);
      }
    }
    for await (const entry of this.each(low, high - 1, { atOnce: PROBES }))
      if (holds(entry)) return entry.serial;
    return high;
  }

  /** Returns the entries that exist. */
  async #at(serials: readonly number[]): Promise<Entry[]> {
    const kinds = new Map(
      serials.map((serial) => {
        const [segment] = this.#segments(serial, serial);
        const kind = segment?.kind ?? KIND.record;
        return [sortOf(this.of.generation, kind, serial), kind] as const;
      }),
    );
    const rows = await this.reader.get(this.of.streamKey, [...kinds.keys()]);
    return [...rows.values()].flatMap((row) => this.#entryOf(kinds.get(row.sort) ?? KIND.record, row) ?? []);
  }

  #segments(from: number, to: number): Segment[] {
    if (this.of.kind === 'presence') return [{ kind: KIND.event, from, to }];
    const { firstShifted } = this.of;
    if (firstShifted === null) return [{ kind: KIND.record, from, to }];
    return [
      { kind: KIND.record, from, to: Math.min(to, firstShifted - 1) },
      { kind: KIND.history, from: Math.max(from, firstShifted), to },
    ].filter((segment) => segment.from <= segment.to);
  }

  #entryOf(kind: RowKind, { sort, value }: StoredRow): Entry | null {
    const serial = lastNumber(sort);
    if (kind === KIND.history) return decodeEntry(serial, value);
    if (kind === KIND.event) return entryOfEvent(decodeEvent(this.of, serial, value));
    const record = decodeRecord(this.of, serial, value);
    return record.historySerial === null ? null : entryOfRecord(record);
  }
}
