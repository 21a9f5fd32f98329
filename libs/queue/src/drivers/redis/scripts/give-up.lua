-- Makes a job a dead letter at once.
--
-- Guarantee: only the delivery that holds the job gives it up; from another one nothing changes.
--
-- Arguments: id, token, reason. Answer: 'dead' or 'lost'.
--uses: time, record, append, take-back, owns, forget-dead, bury
--keys: jobs, active, begun, tokens, attempts, own_max, owners, dlq, failures, dedup_keys, events
--numbers: event_retention, failed_retention
--args: id, token, reason

if not owns(id, token) then return 'lost' end
bury(id, reason, '', now_ms())
take_back(id)
return 'dead'
