-- Adds to a set that is ordered by time, and by order of adding within a millisecond. Needs: whole.
local function append(set, id, at_ms)
  local score = at_ms * 1000
  local last = tonumber(redis.call('ZREVRANGE', set, 0, 0, 'WITHSCORES')[2])
  if last and last >= score then score = last + 1 end
  redis.call('ZADD', set, whole(score), id)
end
