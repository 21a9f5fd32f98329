import { counter, gauge, histogram, SECONDS } from '../metric-row.js';

/** Management API (spec 81 §13). */
export const MANAGEMENT_METRICS = {
  management_requests_total: counter(['route', 'method', 'status'], 'Management requests by status'),
  management_request_duration_seconds: histogram(SECONDS, ['route'], 'Time of management requests'),
  management_auth_failures_total: counter(
    ['reason'],
    'Refused credentials: missing, malformed, unknown, expired, session, login',
  ),
  management_sessions: gauge([], 'Sessions that this process served within their idle time'),
  management_tails: gauge([], 'Tails that this process serves'),
  management_traces_total: counter([], 'Traces sent to readers of tails'),
  management_traces_dropped_total: counter(['reason'], 'Traces left out of tails: rate, bytes, buffer'),
  management_fleet_requests_total: counter(['outcome'], 'Fleet requests: complete, partial'),
  management_audit_failures_total: counter([], 'Audit entries that could not be stored'),
} as const;
