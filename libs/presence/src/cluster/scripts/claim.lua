-- Makes a node the one that clears up after a dead one, or keeps it so.
--
-- Guarantee: a dead node has one reaper at a time, and never lives again. A node is dead when its lease has ended and
-- so much more time has gone by; if nobody was there to renew leases, as when the store itself was away, only when
-- those who live have had the time to come back. One that has taken its leave is dead at once.
--
-- `wanted`: the dead node, '' for any. `left_out`: nodes that are not wanted. Answer: false, or { dead node, end of the
-- claim }.
--uses: now
--keys: nodes, reapers, watched
--args: ahead_ms, node, claim_ms, margin_ms, return_ms, wanted
--rest: left_out

local own = tonumber(redis.call('ZSCORE', nodes, node) or '0')
if own < now then return false end
local watched_since = tonumber(redis.call('GET', watched) or '0')
local is_left_out = {}
for _, one in ipairs(left_out) do is_left_out[one] = true end
local silent = redis.call('ZRANGEBYSCORE', nodes, '-inf', now - tonumber(margin_ms), 'WITHSCORES', 'LIMIT', 0, 100)
for at = 1, #silent, 2 do
  local dead, ended = silent[at], tonumber(silent[at + 1])
  local was_seen = ended == 0 or watched_since <= ended or watched_since + tonumber(return_ms) <= now
  local reaper, claim_until = string.match(redis.call('HGET', reapers, dead) or '', '^(.*) (%d+)$')
  local is_free = not reaper or reaper == node or tonumber(claim_until) < now
  if was_seen and is_free and not is_left_out[dead] and (wanted == '' or wanted == dead) then
    local ends = whole(now + tonumber(claim_ms))
    redis.call('HSET', reapers, dead, node .. ' ' .. ends)
    return { dead, ends }
  end
end
return false
