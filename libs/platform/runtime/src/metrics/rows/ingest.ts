import { counter, gauge, histogram, MILLISECONDS } from '../metric-row.js';

/** Sources of publish commands (spec 82 §13). */
export const INGEST_METRICS = {
  ingest_events_total: counter(
    ['source', 'outcome'],
    'Events that ended: accepted, duplicate, dead, skipped, forged',
  ),
  ingest_retries_total: counter(['source', 'code'], 'Attempts that are repeated, by error code'),
  ingest_dead_letters_total: counter(['source', 'code'], 'Events that became dead letters, by error code'),
  ingest_lag_rows: gauge(['source'], 'Events that have not ended, counted to 100,000'),
  ingest_lag_seconds: gauge(['source'], 'Age of the oldest event that has not ended'),
  ingest_in_flight: gauge(['source'], 'Events fetched that have not ended'),
  ingest_dead_letters: gauge(['source'], 'Dead letters stored in the database of the source'),
  ingest_partitions_owned: gauge(['source'], 'Partitions that this process reads'),
  ingest_source_up: gauge(['source'], '1 while the source is connected, else 0'),
  ingest_publish_latency_ms: histogram(
    MILLISECONDS,
    ['source'],
    'Time from the creation of an event in its source until it is accepted',
  ),
  ingest_queries_total: counter(['source'], 'Fetches from the source'),
} as const;
