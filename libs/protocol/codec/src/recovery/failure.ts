/** Advice to the client: `stream_reset` to restart, the others to read the history. */
export type RecoveryCode =
  | 'stream_reset'
  | 'position_expired'
  | 'continuity_unverifiable'
  | 'persistence_unavailable';

const CODE_OF = {
  stream_id_mismatch: 'stream_reset',
  durable_stream_id_mismatch: 'stream_reset',
  durable_stream_changed_during_reconnect: 'stream_reset',
  durable_stream_reset_required: 'stream_reset',
  version_stream_id_mismatch: 'stream_reset',
  recovery_window_exceeded: 'position_expired',
  retained_history_floor_is_ahead_of_requested_serial: 'position_expired',
  retention_boundary_crossed_during_reconnect: 'position_expired',
  hot_replay_expired_and_durable_history_disabled: 'position_expired',
  durable_history_empty_after_prior_writes: 'position_expired',
  purged_range: 'position_expired',
  position_ahead_of_durable_stream: 'continuity_unverifiable',
  durable_history_is_not_contiguous: 'continuity_unverifiable',
  durable_history_ended_before_stream_head: 'continuity_unverifiable',
  durable_stream_head_unavailable: 'continuity_unverifiable',
  legacy_serial_only_position_cannot_use_cold_recovery: 'continuity_unverifiable',
  not_subscribed: 'continuity_unverifiable',
  live_gap_unrecoverable: 'continuity_unverifiable',
  no_position: 'continuity_unverifiable',
  malformed_position: 'continuity_unverifiable',
  channel_list_changed: 'continuity_unverifiable',
  history_stream_degraded: 'persistence_unavailable',
  durable_history_state_unavailable: 'persistence_unavailable',
  durable_history_read_failed: 'persistence_unavailable',
  durable_history_payload_projection_failed: 'persistence_unavailable',
  failed_to_deliver_recovery_payload: 'persistence_unavailable',
} as const satisfies Readonly<Record<string, RecoveryCode>>;

/** Why a channel could not be recovered. Each belongs to one code. */
export type RecoveryReason = keyof typeof CODE_OF;

/** Reason why a channel could not be recovered, with the known state of its stream. Null: unknown. */
export interface RecoveryFailure {
  readonly channel: string;
  readonly reason: RecoveryReason;
  readonly expectedStreamId: string | null;
  readonly currentStreamId: string | null;
  readonly oldestSerial: number | null;
  readonly newestSerial: number | null;
}

/** Advice of a reason. */
export const codeOf = (reason: RecoveryReason): RecoveryCode => CODE_OF[reason];

/** The members of a failure as clients read them. */
export function failureData(failure: RecoveryFailure): object {
  return {
    channel: failure.channel,
    code: CODE_OF[failure.reason],
    reason: failure.reason,
    expected_stream_id: failure.expectedStreamId,
    current_stream_id: failure.currentStreamId,
    oldest_available_serial: failure.oldestSerial,
    newest_available_serial: failure.newestSerial,
  };
}
