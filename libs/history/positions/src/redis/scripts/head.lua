-- Answers { stream id, serial }; a counter that is not there begins at 0. The counter lives on from now.
--keys: counter, entries
--args: fresh_id, counter_ms

if redis.call('EXISTS', counter) == 0 then
  redis.call('HSET', counter, 'id', fresh_id, 'serial', 0, 'bytes', 0)
  redis.call('DEL', entries)
end
redis.call('PEXPIRE', counter, counter_ms)
local head = redis.call('HMGET', counter, 'id', 'serial')
return { head[1], tonumber(head[2]) }
