-- Ends a delivery that failed.
--
-- Guarantee: only the delivery that holds the job fails it; from another one nothing changes. After its last attempt the
-- job is a dead letter, before that it is delayed.
--
-- Arguments: id, token, reason, detail. Answer: 'retry', 'dead' or 'lost'.
--uses: time, record, append, count-of, take-back, owns, forget-dead, bury, retry-delay, fail-attempt
--keys: jobs, delayed, active, begun, tokens, attempts, own_max, owners, dlq, failures, dedup_keys, events
--numbers: event_retention, failed_retention, max_attempts, retry_base_delay_ms, retry_max_delay_ms, retry_jitter
--args: id, token, reason, detail

if not owns(id, token) then return 'lost' end
return fail(id, reason, detail, now_ms())
