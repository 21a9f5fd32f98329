-- Completes a job.
--
-- Guarantee: only the delivery that holds the job completes it; from another one nothing changes. Its data is gone; its
-- id and fingerprint stay while it is among the completed_retention last completed.
--
-- Arguments: id, token. Answer: 'ok' or 'lost'.
--uses: time, record, append, take-back, owns
--keys: jobs, active, begun, tokens, attempts, own_max, owners, completed, dedup_keys, events
--numbers: event_retention, completed_retention
--args: id, token

if not owns(id, token) then return 'lost' end
local now = now_ms()
record('completed', id)
if completed_retention > 0 then
  local text = redis.call('HGET', jobs, id) or ''
  append(completed, id, now)
  redis.call('HSET', jobs, id, 'c:' .. (string.match(text, '^2:%d+:([%w_-]*):') or ''))
else
  redis.call('HDEL', jobs, id)
  redis.call('HDEL', dedup_keys, id)
end
take_back(id)
redis.call('HDEL', attempts, id)
redis.call('HDEL', own_max, id)
redis.call('HDEL', owners, id)
local excess = redis.call('ZCARD', completed) - completed_retention
if excess > 0 then
  for _, gone in ipairs(redis.call('ZRANGE', completed, 0, math.min(excess, 1000) - 1)) do
    redis.call('HDEL', jobs, gone)
    redis.call('HDEL', dedup_keys, gone)
    redis.call('ZREM', completed, gone)
  end
end
return 'ok'
