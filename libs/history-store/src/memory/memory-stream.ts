import type { Below, Inspection, Purgeable } from '../model/changes.js';
import { countFloor } from '../model/floor.js';
import type { PresenceEvent, PresenceMember } from '../model/presence.js';
import type { StoredRecord } from '../model/record.js';
import type { Stream } from '../model/stream.js';
import type { PageQuery, RangeQuery, Retained } from '../port.js';

/** So many dropped records are let go at once, so that dropping one costs the same however many are kept. */
const DROP_AT_ONCE = 64;

/** One stream with everything of its current generation. */
export class MemoryStream {
  #records: StoredRecord[] = [];
  #events: PresenceEvent[] = [];
  readonly #members = new Map<string, PresenceMember>();

  constructor(public stream: Stream) {}

  write(stream: Stream): void {
    if (stream.generation !== this.stream.generation) {
      this.#records = [];
      this.#events = [];
      this.#members.clear();
    }
    this.stream = stream;
  }

  add(record: StoredRecord): void {
    this.#records.push(record);
  }

  addEvent(event: PresenceEvent): void {
    this.#events.push(event);
  }

  setMember(member: PresenceMember): void {
    this.#members.set(member.userId, member);
  }

  member(userId: string): PresenceMember | undefined {
    return this.#members.get(userId);
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

  retained(nowMs: number): Retained {
    const rows = this.#visible(nowMs);
    return {
      oldest: edge(rows[0]),
      newest: edge(rows.at(-1)),
      messages: rows.length,
      bytes: sizeOf(rows),
    };
  }

  purgeable(below: Below): Purgeable {
    const { floorHistorySerial, nextHistorySerial } = this.stream;
    const rows = this.#records.filter(({ historySerial }) => (historySerial ?? 0) >= floorHistorySerial);
    const stays = rows.findIndex((record) => staysAbove(below, record));
    const gone = stays === -1 ? rows : rows.slice(0, stays);
    const first = stays === -1 ? undefined : rows[stays];
    const limit =
      below.mode === 'before_serial' ? Math.min(below.serial, nextHistorySerial) : nextHistorySerial;
    return {
      historyFloor: Math.max(floorHistorySerial, first?.historySerial ?? limit),
      messages: gone.length,
      bytes: sizeOf(gone),
    };
  }

  /** Memory holds what was put there. */
  inspect(): Inspection {
    return { gap: false, conflict: false, unreadable: false };
  }

  /** Lets go of what is past its time or over the caps. */
  trim(nowMs: number): void {
    const floor = this.#floor();
    let drop = 0;
    for (const { keepUntilMs, historySerial } of this.#records) {
      if (keepUntilMs > nowMs && (historySerial === null || historySerial >= floor)) break;
      drop += 1;
    }
    if (drop >= DROP_AT_ONCE || (drop > 0 && drop === this.#records.length)) this.#drop(drop);
    const events = this.#events.findIndex(({ keepUntilMs }) => keepUntilMs > nowMs);
    if (events >= DROP_AT_ONCE) this.#events.splice(0, events);
  }

  #drop(count: number): void {
    const { floorHistorySerial, floorDeliverySerial, retainedMessages, retainedBytes } = this.stream;
    const gone = this.#records.splice(0, count);
    const rows = gone.filter(({ historySerial }) => (historySerial ?? 0) >= floorHistorySerial);
    this.stream = {
      ...this.stream,
      floorHistorySerial: (rows.at(-1)?.historySerial ?? floorHistorySerial - 1) + 1,
      floorDeliverySerial: Math.max(floorDeliverySerial, (gone.at(-1)?.deliverySerial ?? 0) + 1),
      retainedMessages: retainedMessages - rows.length,
      retainedBytes: retainedBytes - sizeOf(rows),
    };
  }

  /** Where the first record at or above that serial is. */
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
    for (const { historySerial, payloadSize } of this.#records.toReversed()) {
      if (historySerial === null) continue;
      if (historySerial < floor) return floor;
      bytes += payloadSize;
      if (bytes > maxBytes) return historySerial + 1;
    }
    return floor;
  }

  #asRead(record: StoredRecord): StoredRecord {
    const serial = record.rootHistorySerial ?? record.historySerial;
    return serial !== null && serial < this.stream.floorHistorySerial
      ? { ...record, tombstone: true, payload: null }
      : record;
  }
}

const edge = (record: StoredRecord | undefined): Retained['oldest'] =>
  record === undefined ? null : { serial: record.historySerial ?? 0, publishedAtMs: record.publishedAtMs };

const within = (value: number, from: number | null, to: number | null): boolean =>
  (from === null || value >= from) && (to === null || value <= to);

const sizeOf = (rows: readonly StoredRecord[]): number =>
  rows.reduce((sum, { payloadSize }) => sum + payloadSize, 0);

function staysAbove(below: Below, { historySerial, publishedAtMs }: StoredRecord): boolean {
  if (below.mode === 'before_serial') return (historySerial ?? 0) >= below.serial;
  return below.mode === 'before_time_ms' && publishedAtMs >= below.timeMs;
}
