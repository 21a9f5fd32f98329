import {
  counter,
  gauge,
  histogram,
  MILLISECONDS,
  REBUILD_SECONDS,
  SECONDS,
  unprefixed,
} from '../metric-row.js';

/** Queues, webhooks, cleanup and the process itself (spec 50 §5.4). */
export const PROCESS_METRICS = {
  queue_jobs: gauge(['queue', 'state'], 'Jobs by state: ready, delayed, leased, dead'),
  queue_oldest_ready_age_seconds: gauge(['queue'], 'Age of the oldest job that is ready'),
  queue_jobs_processed_total: counter(['queue', 'outcome'], 'Jobs processed: ok, retry, dead'),
  webhook_events_dropped_total: counter(
    ['app_id'],
    'Events lost because too many waited, or because the queue could not take them',
  ),
  webhook_deliveries_total: counter(['app_id', 'outcome'], 'Webhook calls: ok, retry, dead'),
  webhook_delivery_latency_ms: histogram(MILLISECONDS, ['app_id'], 'Time of webhook calls'),
  cleanup_queue_depth: gauge([], 'Disconnects waiting to be cleaned up'),
  cleanup_sync_fallback_total: counter([], 'Disconnects cleaned up in line because the queue was full'),
  cleanup_failures_total: counter([], 'Disconnects whose cleanup failed'),
  http_request_duration_seconds: histogram(
    SECONDS,
    ['route', 'method', 'status'],
    'Time of HTTP requests, by route template and status class',
  ),
  dependency_up: gauge(['dependency'], '1 while the health check of a dependency passes, else 0'),
  draining: gauge([], '1 from the first stop signal on, else 0'),
  build_info: gauge(['version', 'role'], 'Always 1; what runs'),
  nodejs_eventloop_lag_seconds: gauge([], 'Event loop delay, 99th percentile since the last scrape'),
  nodejs_eventloop_utilization: gauge([], 'Share of time the event loop was busy since the last scrape'),
  nodejs_heap_used_bytes: gauge([], 'Heap in use'),
  nodejs_gc_duration_seconds: histogram(REBUILD_SECONDS, ['kind'], 'Time of garbage collections'),
  process_resident_memory_bytes: unprefixed(gauge([], 'Resident memory')),
  process_virtual_memory_bytes: unprefixed(gauge([], 'Virtual memory')),
  process_cpu_seconds_total: unprefixed(counter([], 'User and system processor time')),
  process_start_time_seconds: unprefixed(gauge([], 'Start of the process, seconds since 1970')),
  process_open_fds: unprefixed(gauge([], 'Open file descriptors')),
  process_max_fds: unprefixed(gauge([], 'Limit of open file descriptors')),
} as const;
