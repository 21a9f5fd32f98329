-- Counts jobs by state. Delayed jobs that are due count as ready: the next claim makes them so.
--
-- Guarantee: the numbers are those of one moment.
--
-- Answer: ready, running, delayed, dead, completed, and in ms (-1: there is none) how long the oldest ready one waits and
-- the oldest running one runs.
--uses: time
--keys: wait, delayed, active, begun, dlq, completed

local now = now_ms()
local due = redis.call('ZCOUNT', delayed, '-inf', now)
local waiting = redis.call('ZCARD', wait)
local since = tonumber(redis.call('ZRANGE', wait, 0, 0, 'WITHSCORES')[2])
since = since and since / 1000
if due > 0 then
  local first = tonumber(redis.call('ZRANGE', delayed, 0, 0, 'WITHSCORES')[2])
  if not since or first < since then since = first end
end
local running_since = tonumber(redis.call('ZRANGE', begun, 0, 0, 'WITHSCORES')[2])
return {
  waiting + due,
  redis.call('ZCARD', active),
  redis.call('ZCARD', delayed) - due,
  redis.call('ZCARD', dlq),
  redis.call('ZCARD', completed),
  since and math.max(0, math.floor(now - since)) or -1,
  running_since and math.max(0, math.floor(now - running_since)) or -1,
}
