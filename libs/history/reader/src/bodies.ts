import type { MessageAction, Retained, Stream } from '@carillon/history-store';
import type { HintSource } from './hints/state-hints.js';
import type { Observed } from './observed.js';
import type { HistoryBounds, HistoryDirection } from './query.js';
import type { StateSource } from './observed.js';

export interface StreamStateBody {
  readonly stream_id: string | null;
  readonly durable_state: 'healthy' | 'degraded' | 'reset_required';
  readonly recovery_allowed: boolean;
  readonly reset_required: boolean;
  readonly reason: string | null;
  readonly node_id: string | null;
  readonly last_transition_at_ms: number | null;
  readonly authoritative_source: StateSource;
  readonly observed_source: HintSource | StateSource;
}

export interface RetainedBody {
  readonly stream_id: string | null;
  readonly retained_messages: number;
  readonly retained_bytes: number;
  readonly oldest_available_serial: number | null;
  readonly newest_available_serial: number | null;
  readonly oldest_available_published_at_ms: number | null;
  readonly newest_available_published_at_ms: number | null;
}

export interface HistoryItemBody {
  readonly stream_id: string;
  readonly serial: number;
  readonly published_at_ms: number;
  readonly message_id: string | null;
  readonly event_name: string | null;
  /** `append` for a plain publish; else the operation of the latest version. */
  readonly operation_kind: 'append' | `message.${MessageAction}`;
  readonly payload_size_bytes: number;
  /** The V2 frame. */
  readonly message: unknown;
}

export interface HistoryPageBody {
  readonly items: readonly HistoryItemBody[];
  readonly direction: HistoryDirection;
  readonly limit: number;
  readonly has_more: boolean;
  /** Null exactly when there is no more. */
  readonly next_cursor: string | null;
  readonly bounds: HistoryBounds;
  readonly continuity: RetainedBody & {
    readonly complete: boolean;
    readonly truncated_by_retention: boolean;
  };
  readonly stream_state: StreamStateBody;
}

/** State of a stream with its retained amounts. */
export interface HistoryStreamBody {
  readonly stream_id: string | null;
  /** Null: there is no stream. */
  readonly next_serial: number | null;
  readonly retained: RetainedBody;
  readonly state: StreamStateBody;
}

export const stateBody = (
  stream: Stream | null,
  { state, source }: Observed,
  authority: StateSource,
): StreamStateBody => ({
  stream_id: stream?.streamId ?? null,
  durable_state: state.state,
  recovery_allowed: state.state === 'healthy',
  reset_required: state.state === 'reset_required',
  reason: state.reason,
  node_id: state.nodeId,
  last_transition_at_ms: state.changedAtMs,
  authoritative_source: authority,
  observed_source: source,
});

export const retainedBody = (stream: Stream | null, retained: Retained): RetainedBody => ({
  stream_id: stream?.streamId ?? null,
  retained_messages: retained.messages,
  retained_bytes: retained.bytes,
  oldest_available_serial: retained.oldest?.serial ?? null,
  newest_available_serial: retained.newest?.serial ?? null,
  oldest_available_published_at_ms: retained.oldest?.publishedAtMs ?? null,
  newest_available_published_at_ms: retained.newest?.publishedAtMs ?? null,
});
