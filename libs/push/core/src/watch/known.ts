import type { Metrics } from '@carillon/runtime';
import { INVARIANTS } from './invariants.js';

/** Counters initialised to 0 for every known app and provider: the rate of a missing series is absent, not 0. */
const COUNTERS = [
  'push_publish_accepted_total',
  'push_wfq_dispatched_total',
  'push_delivery_jobs_emitted_total',
  'push_token_invalidations_total',
  'push_token_invalidation_guard_total',
  'push_circuit_breaker_deferred_total',
  'push_circuit_breaker_open_total',
  'push_rate_limiter_throttled_total',
  'push_retry_scheduled_total',
  'push_retry_attempted_total',
  'push_retry_deferred_total',
  'push_retry_expired_total',
  'push_retry_dead_lettered_total',
  'push_quota_acceptance_rejections_total',
  'push_quota_delivery_rejections_total',
  'push_rate_dropped_total',
  'push_rate_queued_total',
  'push_stale_devices_removed_total',
  'push_duplicate_suppressed_total',
  'push_channel_publish_total',
] as const;

/** Why the repair leaves work alone. */
const SKIPPED = ['leased', 'publish_gone', 'throttled'] as const;

export function showKnown(metrics: Metrics): void {
  for (const name of COUNTERS) metrics.counter(name);
  for (const invariant of INVARIANTS) metrics.counter('push_invariant_violations_total').for({ invariant });
  for (const reason of SKIPPED) metrics.counter('push_repair_skipped_total').for({ reason });
}
