import { ServiceError } from '@carillon/errors';
import {
  type HistoryStore,
  type PresenceEvent,
  type PresenceEvents,
  type Retained,
  type Stream,
  type StreamAddress,
  streamName,
} from '@carillon/history-store';
import type { StateSource } from './bodies.js';
import { floorOf, truncatedByRetention } from './continuity.js';
import { encodeCursor, readCursor } from './cursor.js';
import { inTime, unavailable } from './in-time.js';
import { Membership } from './membership.js';
import {
  type PresenceContinuityBody,
  presenceItem,
  type PresenceItemBody,
  type PresencePageBody,
  presenceRetained,
  type PresenceSnapshotBody,
  presenceState,
  type PresenceStreamBody,
} from './presence-bodies.js';
import { type HistoryQuery, pageBounds } from './query.js';
import type { SnapshotQuery } from './snapshot-query.js';

export interface PresenceHistoryReaderParts {
  readonly store: Pick<HistoryStore, 'heads' | 'retained'> & PresenceEvents;
  readonly now: () => number;
}

export interface PresenceHistoryReaderOptions {
  /** What one read may take. */
  readonly timeoutMs: number;
  readonly source: StateSource;
}

interface Head {
  readonly stream: Stream | null;
  readonly retained: Retained;
}

const NOTHING: Retained = { oldest: null, newest: null, messages: 0, bytes: 0 };
/** Events of a replay that are read together. */
const REPLAYED_AT_ONCE = 500;
const NO_BOUNDS = { start_serial: null, end_serial: null, start_time_ms: null, end_time_ms: null } as const;

/**
 * Reads who came to channels and went. Whoever asks has made sure that the channel keeps that. Reads change nothing.
 * Rejects with `ServiceError`: `invalid_input`, `conflict` when the events contradict each other, or
 * `service_unavailable`.
 */
export class PresenceHistoryReader {
  constructor(
    private readonly parts: PresenceHistoryReaderParts,
    private readonly options: PresenceHistoryReaderOptions,
  ) {}

  /** One page; one of a stream that is not healthy says so, and is never complete. */
  page(appId: string, channel: string, query: HistoryQuery): Promise<PresencePageBody> {
    return inTime(this.options.timeoutMs, () => this.#page(addressOf(appId, channel), query));
  }

  /** The state of the stream, whatever it is. */
  state(appId: string, channel: string): Promise<PresenceStreamBody> {
    return inTime(this.options.timeoutMs, async () => {
      const { stream, retained } = await this.#head(addressOf(appId, channel));
      return {
        stream_id: stream?.streamId ?? null,
        next_serial: stream?.nextHistorySerial ?? null,
        retained: presenceRetained(stream, retained),
        state: presenceState(stream, this.options.source),
      };
    });
  }

  /** Who was there at a moment, or is by what the history knows. */
  snapshot(appId: string, channel: string, query: SnapshotQuery): Promise<PresenceSnapshotBody> {
    return inTime(this.options.timeoutMs, () => this.#snapshot(addressOf(appId, channel), query));
  }

  async #page(address: StreamAddress, query: HistoryQuery): Promise<PresencePageBody> {
    const { direction, limit, bounds } = query;
    const head = await this.#head(address);
    const { stream, retained } = head;
    const floor = floorOf(stream, retained);
    const walk = { app_id: address.appId, channel: address.channel, direction, bounds };
    const after =
      query.cursor === null
        ? null
        : readCursor(query.cursor, { ...walk, stream_id: stream?.streamId ?? null, floor });
    const events =
      stream === null
        ? []
        : await this.parts.store.presenceEvents({
            stream,
            nowMs: this.parts.now(),
            ...pageBounds(query, after, floor),
            limit: limit + 1,
          });
    const hasMore = events.length > limit;
    const items = stream === null ? [] : events.slice(0, limit).map((event) => itemOf(stream, event));
    const last = items.at(-1);
    const degraded = stream !== null && stream.durable.state !== 'healthy';
    const { complete, ...continuity } = continuityOf(head, truncatedByRetention(bounds, floor, retained));
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
      continuity: { ...continuity, degraded, complete: complete && !hasMore && !degraded },
      stream_state: presenceState(stream, this.options.source),
    };
  }

  async #snapshot(
    address: StreamAddress,
    { atSerial, atTimeMs }: SnapshotQuery,
  ): Promise<PresenceSnapshotBody> {
    const head = await this.#head(address);
    const { stream, retained } = head;
    if (stream !== null && stream.durable.state !== 'healthy')
      throw unavailable(
        `the presence history is ${stream.durable.state}: ${stream.durable.reason ?? 'unknown'}`,
      );
    const floor = floorOf(stream, retained);
    const membership = new Membership({
      contiguous: atTimeMs === null,
      complete: floor === 1 && atTimeMs === null,
    });
    const newest = retained.newest?.serial ?? null;
    const until = newest === null ? null : Math.min(newest, atSerial ?? newest);
    if (stream !== null && until !== null) await this.#replay(stream, membership, { until, atTimeMs });
    const { last, members, replayed } = membership;
    if (atTimeMs === null && until !== null && until >= floor && last?.serial !== until)
      throw conflict(`the events end before ${until}`);
    return {
      channel: address.channel,
      members,
      member_count: members.length,
      events_replayed: replayed,
      snapshot_serial: last?.serial ?? null,
      snapshot_time_ms: last?.atMs ?? null,
      continuity: continuityOf(head, truncatedByRetention(NO_BOUNDS, floor, retained)),
    };
  }

  async #replay(
    stream: Stream,
    membership: Membership,
    { until, atTimeMs }: { readonly until: number; readonly atTimeMs: number | null },
  ): Promise<void> {
    for (let from = 1; from <= until;) {
      const events = await this.parts.store.presenceEvents({
        stream,
        nowMs: this.parts.now(),
        newestFirst: false,
        fromSerial: from,
        toSerial: until,
        fromMs: null,
        toMs: atTimeMs,
        limit: REPLAYED_AT_ONCE,
      });
      for (const event of events) {
        const anomaly = membership.add(event);
        if (anomaly !== null) throw conflict(anomaly);
      }
      const last = events.at(-1);
      if (last === undefined || events.length < REPLAYED_AT_ONCE) return;
      from = last.serial + 1;
    }
  }

  async #head(address: StreamAddress): Promise<Head> {
    const { store, now } = this.parts;
    const stream = (await store.heads([address])).get(streamName(address)) ?? null;
    return { stream, retained: stream === null ? NOTHING : await store.retained(stream, now()) };
  }
}

const addressOf = (appId: string, channel: string): StreamAddress => ({ appId, channel, kind: 'presence' });

const continuityOf = ({ stream, retained }: Head, truncated: boolean): PresenceContinuityBody => ({
  ...presenceRetained(stream, retained),
  complete: !truncated,
  truncated_by_retention: truncated,
});

function itemOf({ streamId }: Stream, event: PresenceEvent): PresenceItemBody {
  try {
    return presenceItem(streamId, event, JSON.parse(event.body));
  } catch {
    throw unavailable('an event of the presence history cannot be read');
  }
}

const conflict = (anomaly: string): ServiceError =>
  new ServiceError('conflict', { text: `the presence history is inconsistent: ${anomaly}` });
