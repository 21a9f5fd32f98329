-- Hands out what is ready.
--
-- Guarantee: a job is handed to one worker, whose token alone can settle it until the lease ends. Before that, up to
-- stalled_batch_size jobs whose lease has ended count as failed deliveries, and up to 1000 delayed jobs that are due
-- become ready. Owners of jobs alternate. What cannot be read becomes a dead letter. An id without any job behind it is dropped and counted. The
-- answer is bounded: jobs are added until they exceed the bytes given.
--
-- Arguments: token, most jobs, bytes of the answer, bytes of the largest record. Answer: retried, dead, dropped,
-- milliseconds until something may be ready (-1: unknown), then per job its id, attempt, most attempts, record and owner (false: none).
--uses: time, record, append, turn, count-of, take-back, forget-dead, bury, retry-delay, fail-attempt
--keys: jobs, wait, turns, last_turns, owners, delayed, active, begun, tokens, attempts, own_max, dlq, failures, dedup_keys, notify, events
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
  line_up(due[at])
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
  return { id, attempt, most, text, redis.call('HGET', owners, id) }
end

-- An earlier version of the service that works on the same queue adds to `wait` alone, and takes from it alone.
if redis.call('ZCARD', turns) ~= redis.call('ZCARD', wait) then
  for _, id in ipairs(redis.call('ZRANGE', wait, 0, most_jobs + UNREADABLE_AT_ONCE - 1)) do
    if not redis.call('ZSCORE', turns, id) then line_up(id) end
  end
end

local handed = {}
for _ = 1, most_jobs + UNREADABLE_AT_ONCE do
  local id = #handed < most_jobs and bytes < most_bytes and redis.call('ZRANGE', turns, 0, 0)[1]
  if not id then break end
  local is_waiting = redis.call('ZSCORE', wait, id)
  local size = is_waiting and redis.call('HSTRLEN', jobs, id) or 0
  local text = size > 0 and size <= largest and redis.call('HGET', jobs, id)
  if text and string.find(text, '^2:%d+:[%w_-]*:') then
    handed[#handed + 1] = hand(id, text)
    bytes = bytes + size
  elseif size > 0 then
    bury(id, 'invalid-envelope', '', now)
    dead = dead + 1
  elseif is_waiting then
    dropped = dropped + 1
  end
  redis.call('ZREM', wait, id)
  redis.call('ZREM', turns, id)
end

-- Without any job no owner is needed. Acknowledgements of an earlier version leave some behind.
local function forget_owners()
  for _, set in ipairs({ delayed, active, dlq }) do
    if redis.call('ZCARD', set) > 0 then return end
  end
  redis.call('UNLINK', owners)
end

local next_ms = -1
if redis.call('ZCARD', wait) > 0 then
  next_ms = 0
  forget_turns()
else
  redis.call('DEL', turns, last_turns)
  forget_owners()
  redis.pcall('DEL', notify)
  for _, set in ipairs({ delayed, active }) do
    local first = tonumber(redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')[2])
    local left = first and math.max(0, first - now)
    if left and (next_ms < 0 or left < next_ms) then next_ms = left end
  end
end
return { retried, dead, dropped, next_ms, handed }
