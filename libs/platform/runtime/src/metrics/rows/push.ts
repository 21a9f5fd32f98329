import { counter, DECADES, gauge, histogram, SECONDS } from '../metric-row.js';

const PROVIDER_APP = ['provider', 'app'] as const;
const PROVIDER = ['provider'] as const;
const TENANT = ['provider', 'tenant'] as const;
const BY_APP = ['app'] as const;

/** Push notifications (spec 50 §5.5). `status` on dispatched is the outcome, `tenant` the app that owns the credential. */
export const PUSH_METRICS = {
  push_dispatched_total: counter(['provider', 'status', 'app'], 'Provider calls by outcome'),
  push_dispatch_duration_seconds: histogram(SECONDS, PROVIDER_APP, 'Time of provider calls'),
  push_dispatch_inflight: gauge(PROVIDER_APP, 'Provider calls under way'),
  push_wfq_dispatched_total: counter(PROVIDER_APP, 'Batches whose turn at a dispatch worker came'),
  push_delivery_jobs_emitted_total: counter(PROVIDER_APP, 'Delivery jobs written'),
  push_token_invalidations_total: counter(PROVIDER_APP, 'Device tokens the provider declared invalid'),
  push_token_invalidation_guard_total: counter(
    PROVIDER_APP,
    'Publishes that declared so many devices dead that none is removed any more',
  ),
  push_circuit_breaker_deferred_total: counter(PROVIDER_APP, 'Batches deferred by an open breaker'),
  push_retry_scheduled_total: counter(PROVIDER_APP, 'Retries scheduled'),
  push_retry_attempted_total: counter(PROVIDER_APP, 'Retries attempted'),
  push_retry_deferred_total: counter(PROVIDER_APP, 'Retries deferred'),
  push_retry_expired_total: counter(PROVIDER_APP, 'Retries given up for age'),
  push_retry_dead_lettered_total: counter(PROVIDER_APP, 'Retries moved to the dead letters'),
  push_wfq_starvation_seconds: gauge(PROVIDER_APP, 'How long the batch of an app has waited for its turn'),
  push_retry_deferred_delay_seconds: gauge(PROVIDER_APP, 'Delay of the last deferred retry'),
  push_provider_failures_total: counter(['provider', 'failure_class', 'app'], 'Provider failures by class'),
  push_retry_malformed_total: counter(['provider', 'reason'], 'Retry records that could not be read'),
  push_publish_accepted_total: counter(['app', 'result'], 'Publishes by admission result'),
  push_publish_acceptance_duration_seconds: histogram(SECONDS, BY_APP, 'Time of admission'),
  push_fanout_size: histogram(DECADES, BY_APP, 'Targets of a publish'),
  push_planner_duration_seconds: histogram(SECONDS, [], 'Time to plan a publish'),
  push_cleanup_tick_duration_seconds: histogram(SECONDS, [], 'Time of a cleanup round'),
  push_publish_log_lag_seconds: gauge(
    [],
    'Age of the oldest publish that waits for a planner or is being planned',
  ),
  push_scheduler_lag_seconds: gauge([], 'Lateness of the scheduler'),
  push_queue_oldest_age_seconds: gauge(['stage', 'state'], 'Age of the oldest item of a stage'),
  push_delivery_jobs_lag_seconds: gauge(
    PROVIDER,
    'Age of the oldest batch that waits for its sending or is being sent',
  ),
  push_worker_pool_size: gauge(PROVIDER, 'Batches that may be sent at once'),
  push_worker_pool_busy: gauge(PROVIDER, 'Batches that are being sent'),
  push_provider_connections: gauge(TENANT, 'Open provider connections'),
  push_provider_streams_active: gauge(TENANT, 'Open provider streams'),
  push_circuit_breaker_state: gauge(
    TENANT,
    '0 closed, 1 half-open, 2 open: the worst of the breakers of an owner',
  ),
  push_circuit_breaker_open_total: counter(TENANT, 'Breaker openings'),
  push_rate_limiter_throttled_total: counter(TENANT, 'Batches held back by the adaptive window'),
  push_duplicate_suppressed_total: counter([], 'Duplicate work items ignored'),
  push_channel_publish_total: counter([], 'Publishes to push channels'),
  push_rule_skipped_total: counter(['reason'], 'Push rules not applied'),
  push_invariant_violations_total: counter(
    ['invariant'],
    'States that should be impossible, seen and left out',
  ),
  push_status_cas_conflicts_total: counter(
    ['component'],
    'Steps of the store that were repeated because others were in their way',
  ),
  push_status_cas_exhausted_total: counter(['component'], 'Steps of the store that were repeated too often'),
  push_devices_total: gauge(['app', 'state'], 'Devices by state, counted every minute or more'),
  push_device_state_transitions_total: counter(['from', 'to', 'app'], 'Device state changes'),
  push_stale_devices_removed_total: counter(BY_APP, 'Devices removed for age'),
  push_quota_acceptance_rejections_total: counter(BY_APP, 'Publishes refused by the acceptance quota'),
  push_quota_delivery_rejections_total: counter(BY_APP, 'Deliveries refused by the daily quota'),
  push_rate_dropped_total: counter(BY_APP, 'Deliveries and publishes that the rate of a device leaves out'),
  push_rate_queued_total: counter(BY_APP, 'Batches put back because the window of their app is full'),
  push_quota_consumed_acceptance: gauge(
    BY_APP,
    'Publishes accepted in the last second, where that is limited',
  ),
  push_quota_consumed_delivery: gauge(BY_APP, 'Deliveries accepted today, where that is limited'),
  push_scheduled_jobs_total: gauge(
    ['status'],
    'Scheduled jobs: waiting for their time, or due; counted to 100000',
  ),
  push_delivery_status_total: counter(['status', 'app'], 'Deliveries by final status'),
  push_worker_exits_total: counter(['kind', 'worker', 'reason'], 'Worker loops that ended'),
  push_queue_local_requeued_total: counter(['stage', 'reason'], 'Items put back by this process'),
  push_repair_scanned_total: counter(['category'], 'Records the repair looked at'),
  push_repair_requeued_total: counter(['stage', 'reason'], 'Items the repair created again'),
  push_repair_skipped_total: counter(['reason'], 'Records the repair left alone'),
  push_cleanup_scanned_total: counter(['category'], 'Records the cleanup looked at'),
  push_cleanup_deleted_total: counter(['category'], 'Records the cleanup removed'),
  push_cleanup_errors_total: counter(['backend', 'category'], 'Failed cleanup steps'),
} as const;
