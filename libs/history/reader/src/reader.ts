import {
  type DurableStore,
  type Stream,
  type StoredMessage,
  type StoredRecord,
  type StreamAddress,
} from '@carillon/history-store';
import type { Message } from '@carillon/protocol';
import { type HistoryPageBody, type HistoryStreamBody, retainedBody, stateBody } from './bodies.js';
import { type StateSource } from './observed.js';
import { floorOf, truncatedByRetention } from './continuity.js';
import { encodeCursor } from './cursor.js';
import type { Faults } from './fault-desk.js';
import { type Head, headOf } from './head.js';
import type { StateHints } from './hints/state-hints.js';
import { inTime, unavailable } from './in-time.js';
import type { ReadTurns } from './read-turns.js';
import { itemOf } from './item.js';
import type { HistoryQuery } from './query.js';
import { pastMessage, type PastPage } from './past.js';
import { type Row, type Show, type ShownAs, ShownRows } from './shown-rows.js';
import { readWhole, type WholePage } from './whole-page.js';

/** Store operations used by the reader, local or through a writer. */
export type HistoryReads = Pick<DurableStore, 'heads' | 'messages' | 'page' | 'range' | 'retained'>;

/** Position in a stream, in the serials that subscribers see. */
export interface StreamMoment {
  readonly streamId: string;
  readonly deliverySerial: number;
}

export interface HistoryReaderParts {
  readonly store: HistoryReads;
  readonly now: () => number;
  /** In which the reads of clients take turns. Absent: every read runs at once. */
  readonly turns?: ReadTurns;
  /** Receives the faults found in streams. */
  readonly faults: Faults;
  /** States not yet stored. Absent: only the store is read. */
  readonly hints?: Pick<StateHints, 'newest'>;
  /** Called for each row shown in a channel with mutable messages. Must not throw. Absent: not counted. */
  readonly onShown?: (appId: string, as: ShownAs) => void;
}

export interface HistoryReaderOptions {
  /** Time budget of one read. */
  readonly timeoutMs: number;
  readonly source: StateSource;
  /** Whether mutable messages are shown in their latest version. Absent: no. */
  readonly showsLatest?: boolean;
}

/** Records that are looked through at one time. */
const WINDOW = 200;

/**
 * Reads channel histories. Callers have checked that the channel has one. Rejects with `ServiceError`:
 * `invalid_input`, or `service_unavailable` if the result would be incomplete.
 */
export class HistoryReader {
  readonly #rows: ShownRows;

  constructor(
    private readonly parts: HistoryReaderParts,
    private readonly options: HistoryReaderOptions,
  ) {
    this.#rows = new ShownRows(parts.store, options.showsLatest === true, parts.onShown);
  }

  /** One page; a channel that was never written has an empty one. */
  page(appId: string, channel: string, query: HistoryQuery): Promise<HistoryPageBody> {
    return this.#read(appId, () => this.#page({ appId, channel, kind: 'messages' }, query));
  }

  /** Returns the state of the stream, whether healthy or not. */
  state(appId: string, channel: string): Promise<HistoryStreamBody> {
    return this.#read(appId, async () => {
      const { stream, retained, seen } = await this.#head({ appId, channel, kind: 'messages' });
      return {
        stream_id: stream?.streamId ?? null,
        next_serial: stream?.nextHistorySerial ?? null,
        retained: retainedBody(stream, retained),
        state: stateBody(stream, seen, this.options.source),
      };
    });
  }

  /**
   * The history serial of the last message at that moment; 0: there was none. Null: it is the moment of another stream, or
   * is still to come.
   */
  serialAt(appId: string, channel: string, moment: StreamMoment): Promise<number | null> {
    return this.#read(appId, async () => {
      const { stream } = await this.#healthy({ appId, channel, kind: 'messages' });
      const { streamId, deliverySerial } = moment;
      if (stream?.streamId !== streamId || deliverySerial >= stream.nextDeliverySerial) return null;
      const { streamKey, generation, floorDeliverySerial } = stream;
      // Changes of messages have no history serial: searches backwards for the last record with one.
      for (let toSerial = deliverySerial; toSerial >= floorDeliverySerial; toSerial -= WINDOW) {
        const fromSerial = Math.max(floorDeliverySerial, toSerial - WINDOW + 1);
        const query = { streamKey, generation, fromSerial, toSerial, limit: WINDOW };
        const records = await this.parts.store.range(query);
        this.parts.turns?.chargeRecords(records);
        const serials = records.flatMap(({ historySerial }) => historySerial ?? []);
        if (serials.length > 0) return Math.max(...serials);
      }
      return 0;
    });
  }

  /** Returns the same messages as frames for late subscribers. */
  past(appId: string, channel: string, query: HistoryQuery): Promise<PastPage> {
    return this.#read(appId, () => this.#past({ appId, channel, kind: 'messages' }, query));
  }

  async #past(address: StreamAddress, query: HistoryQuery): Promise<PastPage> {
    const { direction, limit, bounds } = query;
    const { head, rows } = await this.#whole<Message>(address, query, (stream, record, latest) =>
      this.#message(stream, record, latest),
    );
    const { stream, retained } = head;
    const floor = floorOf(stream, retained);
    const hasMore = rows.length > limit;
    const messages = rows.flatMap(({ record, item: message }) =>
      message === null || message === undefined
        ? []
        : {
            message,
            createId: record.messageId ?? message.messageId,
            historySerial: record.historySerial ?? 0,
            publishedAtMs: record.publishedAtMs,
          },
    );
    const last = messages.at(-1);
    const walk = { app_id: address.appId, channel: address.channel, direction, bounds };
    return {
      messages,
      hasMore,
      nextCursor:
        hasMore && last !== undefined && stream !== null
          ? encodeCursor({ ...walk, stream_id: stream.streamId, serial: last.historySerial })
          : null,
      floor,
      isTruncated: truncatedByRetention(bounds, floor, retained),
    };
  }

  /** A changed message goes by the id of the version it is shown in, which only that version's record has. */
  async #message(
    stream: Stream,
    record: StoredRecord,
    latest: StoredMessage | undefined,
  ): Promise<Message | null> {
    if (latest === undefined || latest.action === 'create') return pastMessage(stream, record, latest, null);
    const { streamKey, generation } = stream;
    const { deliverySerial: fromSerial } = latest;
    const query = { streamKey, generation, fromSerial, toSerial: fromSerial, limit: 1 };
    const [version] = await this.parts.store.range(query);
    return pastMessage(stream, record, latest, version?.messageId ?? null);
  }

  async #page(address: StreamAddress, query: HistoryQuery): Promise<HistoryPageBody> {
    const { direction, limit, bounds } = query;
    const walk = { app_id: address.appId, channel: address.channel, direction, bounds };
    const { head, rows } = await this.#whole(address, query, itemOf);
    const { stream, retained, seen } = head;
    const floor = floorOf(stream, retained);
    const hasMore = rows.length > limit;
    const items = rows.flatMap(({ item }) => item ?? []);
    const last = items.at(-1);
    const truncated = truncatedByRetention(bounds, floor, retained);
    return {
      items,
      direction,
      limit,
      has_more: hasMore,
      next_cursor:
        hasMore && last !== undefined
          ? encodeCursor({ ...walk, stream_id: last.stream_id, serial: last.serial })
          : null,
      bounds,
      continuity: {
        ...retainedBody(stream, retained),
        complete: !hasMore && !truncated,
        truncated_by_retention: truncated,
      },
      stream_state: stateBody(stream, seen, this.options.source),
    };
  }

  #head(address: StreamAddress): Promise<Head> {
    return headOf(this.parts, address, this.options.source);
  }

  #whole<Item>(address: StreamAddress, query: HistoryQuery, show: Show<Item>): Promise<WholePage<Row<Item>>> {
    return readWhole<Row<Item>>(
      {
        address,
        query,
        head: () => this.#healthy(address),
        rows: async (asked) => {
          const rows = await this.#rows.read(asked, show);
          this.parts.turns?.chargeRecords(rows.map(({ record }) => record));
          return rows;
        },
        rowOf: ({ record }) => ({
          serial: record.historySerial ?? 0,
          atMs: record.publishedAtMs,
          untilMs: record.historyUntilMs ?? 0,
        }),
        unreadable: (rows) =>
          rows.flatMap(({ item, record: { historySerial } }) =>
            item === null
              ? {
                  reason: 'history_row_unreadable',
                  fromSerial: historySerial ?? 0,
                  toSerial: historySerial ?? 0,
                }
              : [],
          ),
      },
      this.parts.faults,
    );
  }

  async #healthy(address: StreamAddress): Promise<Head> {
    const head = await this.#head(address);
    const { state, reason } = head.seen.state;
    if (state !== 'healthy') throw unavailable(`the history is ${state}: ${reason ?? 'unknown'}`);
    return head;
  }

  #read<Body>(appId: string, work: () => Promise<Body>): Promise<Body> {
    const { turns } = this.parts;
    const { timeoutMs } = this.options;
    return turns === undefined ? inTime(timeoutMs, work) : turns.read(appId, timeoutMs, work);
  }
}
