-- Renews the lease of a node.
--
-- Guarantee: a node that somebody clears up after, or that the store has forgotten, gets no lease any more.
--
-- `is_first`: '1' for the first lease. Answer: false, or { end of the lease, for how many ms there has always been
-- somebody with a lease }.
--uses: now
--keys: nodes, reapers, watched
--args: ahead_ms, node, lease_ms, is_first

local latest = tonumber(redis.call('ZREVRANGE', nodes, 0, 0, 'WITHSCORES')[2] or '0')
if latest < now then redis.call('SET', watched, whole(now)) end
local watched_since = tonumber(redis.call('GET', watched) or '0')
if is_first ~= '1' and (not redis.call('ZSCORE', nodes, node) or redis.call('HEXISTS', reapers, node) == 1) then
  return false
end
local lease_until = whole(now + tonumber(lease_ms))
redis.call('ZADD', nodes, lease_until, node)
return { lease_until, whole(now - watched_since) }
