import {
  APP,
  counter,
  gauge,
  histogram,
  MILLISECONDS,
  RATIO,
  REBUILD_SECONDS,
  STREAM_SECONDS,
} from '../metric-row.js';

const BY_TYPE = ['app_id', 'type'] as const;
const BY_APP = ['app_id'] as const;

const NO_REBUILDS = 'Never shown: summaries change with their annotations, in the transaction that has them';

/** Mutable messages, annotations, AI transport (spec 50 §5.2). */
export const MESSAGE_METRICS = {
  versioned_message_mutations_total: counter([...APP, 'action', 'result'], 'Mutations of messages'),
  versioned_message_retrieval_total: counter([...APP, 'surface', 'result'], 'Reads of message versions'),
  versioned_history_substitution_total: counter(
    [...APP, 'result'],
    'History rows shown: applied (as their latest version), missing_latest (as stored), not_versioned',
  ),
  annotations_published_total: counter(BY_TYPE, 'Annotations published'),
  annotations_deleted_total: counter(BY_TYPE, 'Annotations deleted'),
  annotation_summary_clipped_total: counter(BY_TYPE, 'Summaries cut to the payload limit'),
  annotation_summary_deliveries_total: counter(BY_APP, 'Summaries delivered'),
  annotation_projection_rebuild_total: counter(BY_APP, NO_REBUILDS),
  annotation_projection_rebuild_duration_seconds: histogram(REBUILD_SECONDS, BY_APP, NO_REBUILDS),
  ai_messages_validated_total: counter([...APP, 'event'], 'AI messages whose headers are valid'),
  ai_messages_rejected_total: counter([...APP, 'code'], 'AI messages refused, by code'),
  ai_messages_unparseable_total: counter(APP, 'AI messages whose headers could not be read'),
  ai_runs_started_total: counter(APP, 'AI runs started'),
  ai_runs_ended_total: counter([...APP, 'reason'], 'AI runs ended'),
  ai_turns_started_total: counter(APP, 'Older name of ai_runs_started_total'),
  ai_turns_ended_total: counter([...APP, 'reason'], 'Older name of ai_runs_ended_total'),
  ai_cancel_signals_total: counter(APP, 'AI cancel signals'),
  ai_active_streams: gauge(APP, 'Open streaming messages of AI transport'),
  active_streams: gauge(APP, 'Open streaming messages'),
  ai_stream_duration_seconds: histogram(STREAM_SECONDS, APP, 'Time a stream was open'),
  ai_stream_bytes_total: counter(APP, 'Bytes appended to streams'),
  appends_received_total: counter(APP, 'Appends accepted'),
  appends_delivered_total: counter(APP, 'Append frames delivered'),
  rollup_ratio: histogram(RATIO, APP, 'Appends in one delivered frame'),
  flush_latency: histogram(MILLISECONDS, APP, 'Milliseconds from append to frame'),
} as const;
