import type { Below, Inspection, Purgeable } from '../model/changes.js';
import { countFloor } from '../model/floor.js';
import type { PresenceEvent } from '../model/presence.js';
import { isReadable } from '../model/readable.js';
import type { NewRecord, StoredRecord } from '../model/record.js';
import type { Stream } from '../model/stream.js';
import type { PageQuery, RangeQuery, Retained } from '../port.js';
import { MemoryMessages } from './memory-messages.js';
import { MemoryPresence, within } from './memory-presence.js';

/** Records are removed in groups of this size, so that the cost per record does not depend on the number stored. */
const DROP_AT_ONCE = 64;

/** One stream with everything of its current generation. */
export class MemoryStream {
  #records: StoredRecord[] = [];
  readonly presence = new MemoryPresence();
  readonly messages = new MemoryMessages();

  constructor(public stream: Stream) {}

  write(stream: Stream): void {
    if (stream.generation !== this.stream.generation) {
      this.#records = [];
      this.presence.clear();
      this.messages.clear();
    }
    const isPurged = stream.floorMessageSerial > this.stream.floorMessageSerial;
    this.stream = stream;
    if (isPurged) this.messages.remove(stream, 0);
  }

  add(record: NewRecord): void {
    this.#records.push(record);
    if (record.messageSerial !== null) this.messages.addVersion(record);
  }

  at(deliverySerial: number): StoredRecord | undefined {
    const record = this.#records[this.#indexOf(deliverySerial)];
    return record?.deliverySerial === deliverySerial ? record : undefined;
  }

  range({ fromSerial, toSerial, limit }: RangeQuery): StoredRecord[] {
    const start = this.#indexOf(fromSerial);
    const end = Math.min(this.#indexOf(toSerial + 1), start + limit);
    return this.#records.slice(start, end).map((record) => this.#asRead(record));
  }

  page(query: PageQuery): StoredRecord[] {
    const rows = this.#visible(query.nowMs).filter(
      ({ historySerial, publishedAtMs }) =>
        within(historySerial ?? 0, query.fromSerial, query.toSerial) &&
        within(publishedAtMs, query.fromMs, query.toMs),
    );
    return (query.newestFirst ? rows.reverse() : rows).slice(0, query.limit);
  }

  events(query: PageQuery): PresenceEvent[] {
    return this.presence.page(query, this.#floor());
  }

  retained(nowMs: number): Retained {
    const rows =
      this.stream.address.kind === 'messages'
        ? this.#visible(nowMs).map(({ historySerial, publishedAtMs, payloadSize }) => ({
            serial: historySerial ?? 0,
            publishedAtMs,
            size: payloadSize,
          }))
        : this.presence.visible(nowMs, this.#floor()).map(({ serial, atMs, bodySize }) => ({
            serial,
            publishedAtMs: atMs,
            size: bodySize,
          }));
    return {
      oldest: edge(rows[0]),
      newest: edge(rows.at(-1)),
      messages: rows.length,
      bytes: rows.reduce((sum, { size }) => sum + size, 0),
    };
  }

  purgeable(below: Below, nowMs: number): Purgeable {
    const { floorHistorySerial, nextHistorySerial, retainedMessages, retainedBytes } = this.stream;
    if (below.mode === 'all') {
      const { messages, bytes } = this.retained(nowMs);
      const stored = { messages: retainedMessages, bytes: retainedBytes };
      const openStreams = this.messages.openBelow(this.stream, nextHistorySerial);
      return { historyFloor: nextHistorySerial, openStreams, messages, bytes, stored };
    }
    const rows = this.#records.filter(({ historySerial }) => (historySerial ?? 0) >= floorHistorySerial);
    const stays = rows.findIndex((record) => staysAbove(below, record));
    const gone = stays === -1 ? rows : rows.slice(0, stays);
    const first = stays === -1 ? undefined : rows[stays];
    const limit =
      below.mode === 'before_serial' ? Math.min(below.serial, nextHistorySerial) : nextHistorySerial;
    const historyFloor = Math.max(floorHistorySerial, first?.historySerial ?? limit);
    const shown = this.#visible(nowMs).filter(({ historySerial }) => (historySerial ?? 0) < historyFloor);
    return {
      historyFloor,
      openStreams: this.messages.openBelow(this.stream, historyFloor),
      messages: shown.length,
      bytes: sizeOf(shown),
      stored: { messages: gone.length, bytes: sizeOf(gone) },
    };
  }

  /** Removed rows are subtracted from the counter at the same time, as in a database. */
  inspect(nowMs: number): Inspection {
    const { floorHistorySerial, retainedMessages, address } = this.stream;
    const serials =
      address.kind === 'messages'
        ? this.#records.map(({ historySerial }) => historySerial ?? 0)
        : this.presence.events.map(({ serial }) => serial);
    const stored = serials.filter((serial) => serial >= floorHistorySerial);
    const different = new Set(stored).size;
    const contents =
      address.kind === 'messages'
        ? this.#visible(nowMs).map(({ payload }) => payload)
        : this.presence.visible(nowMs, this.#floor()).map(({ body }) => body);
    return {
      gap: different < retainedMessages,
      conflict: different < stored.length,
      unreadable: contents.some((content) => !isReadable(content, address.kind)),
    };
  }

  /**
   * Removes expired rows and rows over the caps, once there are `atLeast`; returns those that were part of the
   * history.
   */
  trim(nowMs: number, atLeast: number = DROP_AT_ONCE): { readonly records: number; readonly bytes: number } {
    if (atLeast < DROP_AT_ONCE) {
      const open = this.messages.remove(this.stream, nowMs);
      this.stream = { ...this.stream, openStreams: Math.max(0, this.stream.openStreams - open) };
    }
    const floor = this.#floor();
    const isGone = (keepUntilMs: number, serial: number | null): boolean =>
      keepUntilMs <= nowMs || (serial !== null && serial < floor);
    const kept = this.#records.findIndex(
      (row) => !isGone(row.keepUntilMs, row.rootHistorySerial ?? row.historySerial),
    );
    const drop = kept === -1 ? this.#records.length : kept;
    const { events } = this.presence;
    const keptEvents = events.findIndex((row) => !isGone(row.keepUntilMs, row.serial));
    const dropEvents = keptEvents === -1 ? events.length : keptEvents;
    const gone = [
      ...(worth(drop, atLeast, this.#records) ? this.#dropRecords(drop) : []),
      ...(worth(dropEvents, atLeast, events) ? this.#dropEvents(dropEvents) : []),
    ];
    const bytes = gone.reduce((sum, size) => sum + size, 0);
    const { retainedMessages, retainedBytes } = this.stream;
    this.stream = {
      ...this.stream,
      retainedMessages: retainedMessages - gone.length,
      retainedBytes: retainedBytes - bytes,
    };
    return { records: gone.length, bytes };
  }

  /** Whether the stream is empty and has been unused for this time. */
  unusedSince(ms: number): boolean {
    return this.#records.length + this.presence.events.length === 0 && this.stream.updatedAtMs < ms;
  }

  /** Returns the sizes of the removed records that were part of the history. */
  #dropRecords(count: number): number[] {
    const { floorHistorySerial, floorDeliverySerial } = this.stream;
    const gone = this.#records.splice(0, count);
    const rows = gone.filter(({ historySerial }) => (historySerial ?? 0) >= floorHistorySerial);
    this.stream = {
      ...this.stream,
      floorHistorySerial: (rows.at(-1)?.historySerial ?? floorHistorySerial - 1) + 1,
      floorDeliverySerial: Math.max(floorDeliverySerial, (gone.at(-1)?.deliverySerial ?? 0) + 1),
    };
    return rows.map(({ payloadSize }) => payloadSize);
  }

  #dropEvents(count: number): number[] {
    const { floorHistorySerial } = this.stream;
    const gone = this.presence.drop(count);
    const floor = Math.max(floorHistorySerial, (gone.at(-1)?.serial ?? 0) + 1);
    this.stream = { ...this.stream, floorHistorySerial: floor, floorDeliverySerial: floor };
    return gone.filter(({ serial }) => serial >= floorHistorySerial).map(({ bodySize }) => bodySize);
  }

  /** Returns the index of the first record with this serial or a higher one. */
  #indexOf(deliverySerial: number): number {
    let low = 0;
    let high = this.#records.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const serial = this.#records[middle]?.deliverySerial ?? deliverySerial;
      if (serial < deliverySerial) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #visible(nowMs: number): StoredRecord[] {
    const floor = this.#floor();
    return this.#records.filter(
      ({ historySerial, historyUntilMs }) => (historySerial ?? 0) >= floor && (historyUntilMs ?? 0) > nowMs,
    );
  }

  /** The lowest history serial that purges and caps leave visible. */
  #floor(): number {
    const floor = countFloor(this.stream);
    const { maxBytes, retainedBytes } = this.stream;
    if (maxBytes === null || retainedBytes <= maxBytes) return floor;
    let bytes = 0;
    for (const [serial, size] of this.#sizes()) {
      if (serial < floor) return floor;
      bytes += size;
      if (bytes > maxBytes) return serial + 1;
    }
    return floor;
  }

  /** The rows of the history with their sizes, the newest first. */
  *#sizes(): Generator<readonly [serial: number, size: number]> {
    for (let index = this.#records.length - 1; index >= 0; index -= 1) {
      const record = this.#records[index];
      if (record?.historySerial !== null && record !== undefined)
        yield [record.historySerial, record.payloadSize];
    }
    const { events } = this.presence;
    for (let index = events.length - 1; index >= 0; index -= 1) {
      const event = events[index];
      if (event !== undefined) yield [event.serial, event.bodySize];
    }
  }

  #asRead(record: StoredRecord): StoredRecord {
    const serial = record.rootHistorySerial ?? record.historySerial;
    return serial !== null && serial < this.stream.floorHistorySerial
      ? { ...record, tombstone: true, payload: null }
      : record;
  }
}

/** Dropping one by one would cost as much as is kept each time. */
const worth = (count: number, atLeast: number, of: readonly unknown[]): boolean =>
  count >= atLeast || (count > 0 && count === of.length);

const edge = (row: NonNullable<Retained['oldest']> | undefined): Retained['oldest'] =>
  row === undefined ? null : { serial: row.serial, publishedAtMs: row.publishedAtMs };

const sizeOf = (rows: readonly StoredRecord[]): number =>
  rows.reduce((sum, { payloadSize }) => sum + payloadSize, 0);

function staysAbove(below: Below, { historySerial, publishedAtMs }: StoredRecord): boolean {
  if (below.mode === 'before_serial') return (historySerial ?? 0) >= below.serial;
  return below.mode === 'before_time_ms' && publishedAtMs >= below.timeMs;
}
