-- Makes dead letters ready again, oldest first, as if they had never been tried.
--
-- Guarantee: each is moved once, however many ask for it at the same time.
--
-- Arguments: how many at most. Answer: how many.
--uses: time, record, append, turn, wake
--keys: wait, turns, last_turns, owners, attempts, dlq, failures, notify, events
--numbers: event_retention
--args: most

local ids = redis.call('ZRANGE', dlq, 0, tonumber(most) - 1)
local now = now_ms()
for _, id in ipairs(ids) do
  redis.call('HDEL', attempts, id)
  append(wait, id, now)
  line_up(id)
  redis.call('HDEL', failures, id)
  redis.call('ZREM', dlq, id)
  record('replayed', id)
end
wake(#ids)
return #ids
