-- Takes a job back for a while.
--
-- Guarantee: only the delivery that holds the job defers it; from another one nothing changes. The next delivery has the
-- same attempt number, unless the job goes on with other data: then it is the first. The time and the fingerprint stay
-- those of what was enqueued.
--
-- Arguments: id, token, delay in ms, and the other data if there is any. Answer: 'deferred' or 'lost'.
--uses: time, append, turn, count-of, take-back, owns
--keys: jobs, wait, turns, last_turns, owners, delayed, active, begun, tokens, attempts
--args: id, token, delay_ms, data

if not owns(id, token) then return 'lost' end
local now, delay = now_ms(), tonumber(delay_ms)
if delay > 0 then
  redis.call('ZADD', delayed, whole(now + delay), id)
else
  append(wait, id, now)
  line_up(id)
end
if data then
  local header = string.match(redis.call('HGET', jobs, id) or '', '^2:%d+:[%w_-]*:')
  if header then redis.call('HSET', jobs, id, header .. data) end
  redis.call('HDEL', attempts, id)
else
  redis.call('HSET', attempts, id, math.max(0, count_of(attempts, id, 1) - 1))
end
take_back(id)
return 'deferred'
