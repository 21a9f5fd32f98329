import { rule, type Rule } from './rule.js';

/** Rules of the queue and of webhooks. */
export const queueRules: readonly Rule[] = [
  rule(
    'retry-delays',
    'queue.reliability.retry_base_delay_ms',
    'must be at most retry_max_delay_ms',
    ({ queue: { reliability } }) => reliability.retry_base_delay_ms > reliability.retry_max_delay_ms,
  ),
  rule(
    'lease',
    'queue.reliability.lease_renew_interval_ms',
    'must be less than lease_duration_ms',
    ({ queue: { reliability } }) => reliability.lease_renew_interval_ms >= reliability.lease_duration_ms,
  ),
  rule(
    'webhook-backoff',
    'webhooks.retry.initial_backoff_ms',
    'must be at most max_backoff_ms',
    ({ webhooks: { retry } }) => retry.initial_backoff_ms > retry.max_backoff_ms,
  ),
];
