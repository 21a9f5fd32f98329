import {
  type HistoryStore,
  positioned,
  type Retained,
  type Stream,
  type StoredRecord,
  type StreamAddress,
  streamName,
} from '@carillon/history-store';
import {
  type HistoryItemBody,
  type HistoryPageBody,
  type HistoryStreamBody,
  retainedBody,
  stateBody,
  type StateSource,
} from './bodies.js';
import { floorOf, truncatedByRetention } from './continuity.js';
import { encodeCursor, readCursor } from './cursor.js';
import type { StateHints } from './hints/state-hints.js';
import { inTime, unavailable } from './in-time.js';
import { type Observed, observed } from './observed.js';
import { type HistoryQuery, pageBounds } from './query.js';

/** What a reader asks of a store, or of a writer that has it. */
export type HistoryReads = Pick<HistoryStore, 'heads' | 'page' | 'retained'>;

export interface HistoryReaderParts {
  readonly store: HistoryReads;
  readonly now: () => number;
  /** Told of a stream with a row that cannot be read, which its writer must look into. */
  readonly unreadable: (address: StreamAddress) => void;
  /** States that the store could not be told of. Absent: the store is all that is asked. */
  readonly hints?: Pick<StateHints, 'newest'>;
}

export interface HistoryReaderOptions {
  /** What one read may take. */
  readonly timeoutMs: number;
  readonly source: StateSource;
}

interface Head {
  readonly stream: Stream | null;
  readonly retained: Retained;
  readonly seen: Observed;
}

const NOTHING: Retained = { oldest: null, newest: null, messages: 0, bytes: 0 };

/**
 * Reads the histories of channels. Whoever asks has made sure that the channel has one. Rejects with `ServiceError`:
 * `invalid_input`, or `service_unavailable` when a whole answer cannot be given.
 */
export class HistoryReader {
  constructor(
    private readonly parts: HistoryReaderParts,
    private readonly options: HistoryReaderOptions,
  ) {}

  /** One page; a channel that was never written has an empty one. */
  page(appId: string, channel: string, query: HistoryQuery): Promise<HistoryPageBody> {
    return inTime(this.options.timeoutMs, () => this.#page({ appId, channel, kind: 'messages' }, query));
  }

  /** The state of the stream, whatever it is. */
  state(appId: string, channel: string): Promise<HistoryStreamBody> {
    return inTime(this.options.timeoutMs, async () => {
      const { stream, retained, seen } = await this.#head({ appId, channel, kind: 'messages' });
      return {
        stream_id: stream?.streamId ?? null,
        next_serial: stream?.nextHistorySerial ?? null,
        retained: retainedBody(stream, retained),
        state: stateBody(stream, seen, this.options.source),
      };
    });
  }

  async #page(address: StreamAddress, query: HistoryQuery): Promise<HistoryPageBody> {
    const { direction, limit, bounds } = query;
    const { stream, retained, seen } = await this.#head(address);
    const { state, reason } = seen.state;
    if (state !== 'healthy') throw unavailable(`the history is ${state}: ${reason ?? 'unknown'}`);
    const floor = floorOf(stream, retained);
    const walk = { app_id: address.appId, channel: address.channel, direction, bounds };
    const after =
      query.cursor === null
        ? null
        : readCursor(query.cursor, { ...walk, stream_id: stream?.streamId ?? null, floor });
    const rows = stream === null ? [] : await this.#rows(stream, query, after, floor);
    const hasMore = rows.length > limit;
    const items = stream === null ? [] : rows.slice(0, limit).map((row) => this.#item(stream, row));
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

  async #head(address: StreamAddress): Promise<Head> {
    const { store, now, hints } = this.parts;
    const [heads, hint] = await Promise.all([store.heads([address]), hints?.newest(address) ?? null]);
    const stream = heads.get(streamName(address)) ?? null;
    return {
      stream,
      retained: stream === null ? NOTHING : await store.retained(stream, now()),
      seen: observed(stream, hint, this.options.source),
    };
  }

  /** One more than is shown, which tells whether there is more. */
  #rows(
    stream: Stream,
    query: HistoryQuery,
    after: number | null,
    floor: number,
  ): Promise<readonly StoredRecord[]> {
    return this.parts.store.page({
      stream,
      nowMs: this.parts.now(),
      ...pageBounds(query, after, floor),
      limit: query.limit + 1,
    });
  }

  #item(stream: Stream, row: StoredRecord): HistoryItemBody {
    const { streamId } = stream;
    const message =
      row.payload === null ? undefined : parse(positioned(row.payload, streamId, row.deliverySerial));
    if (message === undefined || row.historySerial === null) {
      this.parts.unreadable(stream.address);
      throw unavailable('a row of the history cannot be read');
    }
    return {
      stream_id: streamId,
      serial: row.historySerial,
      published_at_ms: row.publishedAtMs,
      message_id: row.messageId,
      event_name: row.eventName,
      operation_kind: 'append',
      payload_size_bytes: row.payloadSize,
      message,
    };
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
