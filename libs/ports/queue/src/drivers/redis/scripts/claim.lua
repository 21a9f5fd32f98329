-- Hands out what is ready.
--
-- Guarantee: a job is handed to one worker, whose token alone can settle it until the lease ends. Before that, up to
-- stalled_batch_size jobs whose lease has ended count as failed deliveries, and up to 1000 delayed jobs that are due
-- become ready. What cannot be read becomes a dead letter. An id without any job behind it is dropped and counted. The
-- answer is bounded: jobs are added until they exceed the bytes given.
--
-- Arguments: token, most jobs, bytes of the answer, bytes of the largest record. Answer: retried, dead, dropped,
-- milliseconds until something may be ready (-1: unknown), then per job its id, attempt, most attempts and record.
--uses: time, record, append, count-of, take-back, forget-dead, bury, retry-delay, fail-attempt
--keys: jobs, wait, delayed, active, begun, tokens, attempts, own_max, dlq, failures, dedup_keys, notify, events
--numbers: event_retention, failed_retention, max_attempts, retry_base_delay_ms, retry_max_delay_ms, retry_jitter, lease_duration_ms, stalled_batch_size
--args: token, most_jobs, most_bytes, largest

local most_jobs, most_bytes, largest = tonumber(most_jobs), tonumber(most_bytes), tonumber(largest)
local UNREADABLE_AT_ONCE = 100
local now = now_ms()
local retried, dead, dropped, bytes = 0, 0, 0, 0

for _, id in ipairs(redis.call('ZRANGEBYSCORE', active, '-inf', now, 'LIMIT', 0, stalled_batch_size)) do
  record('stalled', id)
  if fail(id, 'lease-expired', '', now) == 'dead' then dead = dead + 1 else retried = retried + 1 end
end

local due = redis.call('ZRANGEBYSCORE', delayed, '-inf', now, 'WITHSCORES', 'LIMIT', 0, 1000)
for at = 1, #due, 2 do
  redis.call('ZADD', wait, whole(due[at + 1] * 1000), due[at])
  redis.call('ZREM', delayed, due[at])
  record('waiting', due[at])
end

local function hand(id, text)
  local attempt, most = count_of(attempts, id, 0) + 1, count_of(own_max, id, max_attempts)
  redis.call('HSET', tokens, id, token)
  redis.call('ZADD', active, whole(now + lease_duration_ms), id)
  redis.call('ZADD', begun, whole(now), id)
  redis.call('HSET', attempts, id, attempt)
  record('active', id)
  return { id, attempt, most, text }
end

local handed = {}
for _ = 1, most_jobs + UNREADABLE_AT_ONCE do
  local id = #handed < most_jobs and bytes < most_bytes and redis.call('ZRANGE', wait, 0, 0)[1]
  if not id then break end
  local size = redis.call('HSTRLEN', jobs, id)
  local text = size > 0 and size <= largest and redis.call('HGET', jobs, id)
  if text and string.find(text, '^2:%d+:[%w_-]*:') then
    handed[#handed + 1] = hand(id, text)
    bytes = bytes + size
  elseif size > 0 then
    bury(id, 'invalid-envelope', '', now)
    dead = dead + 1
  else
    dropped = dropped + 1
  end
  redis.call('ZREM', wait, id)
end

local next_ms = -1
if redis.call('ZCARD', wait) > 0 then
  next_ms = 0
else
  redis.pcall('DEL', notify)
  for _, set in ipairs({ delayed, active }) do
    local first = tonumber(redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')[2])
    local left = first and math.max(0, first - now)
    if left and (next_ms < 0 or left < next_ms) then next_ms = left end
  end
end
return { retried, dead, dropped, next_ms, handed }
