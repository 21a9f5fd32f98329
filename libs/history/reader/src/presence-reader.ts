import {
  type HistoryStore,
  type PresenceEvent,
  type PresenceEvents,
  type Stream,
  type StreamAddress,
} from '@carillon/history-store';
import type { StateSource } from './observed.js';
import { floorOf, truncatedByRetention } from './continuity.js';
import { encodeCursor } from './cursor.js';
import type { Faults } from './fault-desk.js';
import { type Head, headOf } from './head.js';
import type { StateHints } from './hints/state-hints.js';
import { inTime, unavailable } from './in-time.js';
import type { ReadTurns } from './read-turns.js';
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
import { PresenceReplay } from './presence-replay.js';
import type { HistoryQuery } from './query.js';
import type { SnapshotQuery } from './snapshot-query.js';
import { readWhole } from './whole-page.js';

export interface PresenceHistoryReaderParts {
  readonly store: Pick<HistoryStore, 'heads' | 'retained'> & PresenceEvents;
  readonly now: () => number;
  /** In which the reads of clients take turns. Absent: every read runs at once. */
  readonly turns?: ReadTurns;
  /** Receives the faults found in streams. */
  readonly faults: Faults;
  /** States not yet stored. Absent: only the store is read. */
  readonly hints?: Pick<StateHints, 'newest'>;
}

export interface PresenceHistoryReaderOptions {
  /** Time budget of one read. */
  readonly timeoutMs: number;
  readonly source: StateSource;
}

const NO_BOUNDS = { start_serial: null, end_serial: null, start_time_ms: null, end_time_ms: null } as const;

/**
 * Reads presence histories. Callers have checked that the channel has one. Reads change nothing. Rejects with
 * `ServiceError`: `invalid_input`, `conflict` when events contradict each other, or `service_unavailable`.
 */
export class PresenceHistoryReader {
  constructor(
    private readonly parts: PresenceHistoryReaderParts,
    private readonly options: PresenceHistoryReaderOptions,
  ) {}

  /** Returns one page; a page of a degraded stream says so and is never complete. */
  page(appId: string, channel: string, query: HistoryQuery): Promise<PresencePageBody> {
    return this.#read(appId, () => this.#page(addressOf(appId, channel), query));
  }

  /** Returns the state of the stream, whether healthy or not. */
  state(appId: string, channel: string): Promise<PresenceStreamBody> {
    return this.#read(appId, async () => {
      const { stream, retained, seen } = await this.#head(addressOf(appId, channel));
      return {
        stream_id: stream?.streamId ?? null,
        next_serial: stream?.nextHistorySerial ?? null,
        retained: presenceRetained(stream, retained),
        state: presenceState(stream, seen, this.options.source),
      };
    });
  }

  /** Returns the members at a given time, or now according to the history. */
  snapshot(appId: string, channel: string, query: SnapshotQuery): Promise<PresenceSnapshotBody> {
    return this.#read(appId, () => this.#snapshot(addressOf(appId, channel), query));
  }

  async #page(address: StreamAddress, query: HistoryQuery): Promise<PresencePageBody> {
    const { direction, limit, bounds } = query;
    const walk = { app_id: address.appId, channel: address.channel, direction, bounds };
    const { head, rows: events } = await readWhole<PresenceEvent>(
      {
        address,
        query,
        head: () => this.#head(address),
        rows: async (asked) => {
          const events = await this.parts.store.presenceEvents(asked);
          this.parts.turns?.charge(
            events.length,
            events.reduce((sum, { bodySize }) => sum + bodySize, 0),
          );
          return events;
        },
        rowOf: ({ serial, atMs, keepUntilMs }) => ({ serial, atMs, untilMs: keepUntilMs }),
        unreadable: () => [],
      },
      this.parts.faults,
    );
    const { stream, retained, seen } = head;
    const floor = floorOf(stream, retained);
    const hasMore = events.length > limit;
    const items = stream === null ? [] : events.slice(0, limit).map((event) => itemOf(stream, event));
    const last = items.at(-1);
    const degraded = seen.state.state !== 'healthy';
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
      stream_state: presenceState(stream, seen, this.options.source),
    };
  }

  async #snapshot(address: StreamAddress, query: SnapshotQuery): Promise<PresenceSnapshotBody> {
    const head = await this.#head(address);
    const { stream, retained, seen, nowMs } = head;
    const { state, reason } = seen.state;
    if (state !== 'healthy') throw unavailable(`the presence history is ${state}: ${reason ?? 'unknown'}`);
    const replayed =
      stream === null
        ? null
        : await new PresenceReplay(this.parts.store, { stream, retained, nowMs }).upTo(query);
    const members = replayed?.members ?? [];
    this.parts.turns?.charge((replayed?.replayed ?? 0) + members.length);
    return {
      channel: address.channel,
      members,
      member_count: members.length,
      events_replayed: replayed?.replayed ?? 0,
      snapshot_serial: replayed?.last?.serial ?? null,
      snapshot_time_ms: replayed?.last?.atMs ?? null,
      continuity: continuityOf(head, truncatedByRetention(NO_BOUNDS, floorOf(stream, retained), retained)),
    };
  }

  #head(address: StreamAddress): Promise<Head> {
    return headOf(this.parts, address, this.options.source);
  }

  #read<Body>(appId: string, work: () => Promise<Body>): Promise<Body> {
    const { turns } = this.parts;
    const { timeoutMs } = this.options;
    return turns === undefined ? inTime(timeoutMs, work) : turns.read(appId, timeoutMs, work);
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
