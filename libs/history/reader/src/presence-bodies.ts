import type { PresenceEvent, Retained, Stream } from '@carillon/history-store';
import type { Observed } from './observed.js';
import { stateBody, type StreamStateBody } from './bodies.js';
import { type StateSource } from './observed.js';
import type { HistoryBounds, HistoryDirection } from './query.js';

/** One transition, as it is shown inside an item. */
export interface PresenceEventBody {
  readonly stream_id: string;
  readonly serial: number;
  readonly published_at_ms: number;
  readonly event: PresenceEvent['event'];
  readonly cause: PresenceEvent['cause'];
  readonly user_id: string;
  readonly connection_id: string | null;
  /** Presence data; null for a removal. */
  readonly user_info: unknown;
  readonly dead_node_id: string | null;
}

export interface PresenceItemBody extends Omit<PresenceEventBody, 'user_info'> {
  readonly payload_size_bytes: number;
  readonly presence_event: PresenceEventBody;
}

export interface PresenceRetainedBody {
  readonly stream_id: string | null;
  readonly oldest_available_serial: number | null;
  readonly newest_available_serial: number | null;
  readonly oldest_available_published_at_ms: number | null;
  readonly newest_available_published_at_ms: number | null;
  readonly retained_events: number;
  readonly retained_bytes: number;
}

export interface PresenceContinuityBody extends PresenceRetainedBody {
  readonly complete: boolean;
  readonly truncated_by_retention: boolean;
}

export interface PresenceStateBody extends Omit<StreamStateBody, 'recovery_allowed'> {
  readonly continuity_proven: boolean;
}

export interface PresencePageBody {
  readonly items: readonly PresenceItemBody[];
  readonly direction: HistoryDirection;
  readonly limit: number;
  readonly has_more: boolean;
  /** Null exactly when there is no more. */
  readonly next_cursor: string | null;
  readonly bounds: HistoryBounds;
  readonly continuity: PresenceContinuityBody & { readonly degraded: boolean };
  readonly stream_state: PresenceStateBody;
}

export interface PresenceStreamBody {
  readonly stream_id: string | null;
  /** Null: there is no stream. */
  readonly next_serial: number | null;
  readonly retained: PresenceRetainedBody;
  readonly state: PresenceStateBody;
}

export interface PresenceMemberBody {
  readonly user_id: string;
  readonly last_event: PresenceEvent['event'];
  readonly last_event_serial: number;
  readonly last_event_at_ms: number;
}

export interface PresenceSnapshotBody {
  readonly channel: string;
  /** Sorted by user id. */
  readonly members: readonly PresenceMemberBody[];
  readonly member_count: number;
  readonly events_replayed: number;
  /** Null, as the time: nothing was replayed. */
  readonly snapshot_serial: number | null;
  readonly snapshot_time_ms: number | null;
  readonly continuity: PresenceContinuityBody;
}

export function presenceItem(streamId: string, event: PresenceEvent, userInfo: unknown): PresenceItemBody {
  const shown = {
    stream_id: streamId,
    serial: event.serial,
    published_at_ms: event.atMs,
    event: event.event,
    cause: event.cause,
    user_id: event.userId,
    connection_id: event.connectionId,
  };
  return {
    ...shown,
    dead_node_id: event.deadNodeId,
    payload_size_bytes: event.bodySize,
    presence_event: { ...shown, user_info: userInfo, dead_node_id: event.deadNodeId },
  };
}

export const presenceRetained = (stream: Stream | null, retained: Retained): PresenceRetainedBody => ({
  stream_id: stream?.streamId ?? null,
  oldest_available_serial: retained.oldest?.serial ?? null,
  newest_available_serial: retained.newest?.serial ?? null,
  oldest_available_published_at_ms: retained.oldest?.publishedAtMs ?? null,
  newest_available_published_at_ms: retained.newest?.publishedAtMs ?? null,
  retained_events: retained.messages,
  retained_bytes: retained.bytes,
});

export function presenceState(
  stream: Stream | null,
  seen: Observed,
  authority: StateSource,
): PresenceStateBody {
  const { stream_id, durable_state, recovery_allowed, ...others } = stateBody(stream, seen, authority);
  return { stream_id, durable_state, continuity_proven: recovery_allowed, ...others };
}
