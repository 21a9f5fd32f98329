import { clusterScript, NOW } from './common.js';

const REGISTRY = 'local nodes, reapers, watched = KEYS[1], KEYS[2], KEYS[3]';

/**
 * Renews the lease of a node.
 *
 * Guarantee: a node that somebody clears up after, or that the store has forgotten, gets no lease any more.
 *
 * KEYS registry. ARGV ms ahead, node, lease in ms, '1' for the first one. Answer: false, or { end of the lease, for how
 * many ms there has always been somebody with a lease }.
 */
export const BEAT = clusterScript(
  NOW,
  REGISTRY,
  `
local node = ARGV[2]
local latest = tonumber(redis.call('ZREVRANGE', nodes, 0, 0, 'WITHSCORES')[2] or '0')
if latest < now then redis.call('SET', watched, whole(now)) end
local watched_since = tonumber(redis.call('GET', watched) or '0')
if ARGV[4] ~= '1' and (not redis.call('ZSCORE', nodes, node) or redis.call('HEXISTS', reapers, node) == 1) then
  return false
end
local lease_until = whole(now + tonumber(ARGV[3]))
redis.call('ZADD', nodes, lease_until, node)
return { lease_until, whole(now - watched_since) }`,
);

/**
 * Makes a node the one that clears up after a dead one, or keeps it so.
 *
 * Guarantee: a dead node has one reaper at a time, and never lives again. A node is dead when its lease has ended and
 * so much more time has gone by; if nobody was there to renew leases, as when the store itself was away, only when
 * those who live have had the time to come back. One that has taken its leave is dead at once.
 *
 * KEYS registry. ARGV ms ahead, node, claim in ms, margin in ms, time to come back in ms, the dead node or
 * '', nodes to leave out.
 * Answer: false, or { dead node, end of the claim }.
 */
export const CLAIM = clusterScript(
  NOW,
  REGISTRY,
  `
local node = ARGV[2]
local own = tonumber(redis.call('ZSCORE', nodes, node) or '0')
if own < now then return false end
local watched_since = tonumber(redis.call('GET', watched) or '0')
local is_left_out = {}
for at = 7, #ARGV do is_left_out[ARGV[at]] = true end
local silent = redis.call('ZRANGEBYSCORE', nodes, '-inf', now - tonumber(ARGV[4]), 'WITHSCORES', 'LIMIT', 0, 100)
for at = 1, #silent, 2 do
  local dead, ended = silent[at], tonumber(silent[at + 1])
  local was_seen = ended == 0 or watched_since <= ended or watched_since + tonumber(ARGV[5]) <= now
  local reaper, claim_until = string.match(redis.call('HGET', reapers, dead) or '', '^(.*) (%d+)$')
  local is_free = not reaper or reaper == node or tonumber(claim_until) < now
  if was_seen and is_free and not is_left_out[dead] and (ARGV[6] == '' or ARGV[6] == dead) then
    local ends = whole(now + tonumber(ARGV[3]))
    redis.call('HSET', reapers, dead, node .. ' ' .. ends)
    return { dead, ends }
  end
end
return false`,
);

/** Strikes a dead node off, if nobody else clears up after it. KEYS registry. ARGV ms ahead, node, dead node. */
export const STRIKE_OFF = clusterScript(
  NOW,
  REGISTRY,
  `
local reaper = string.match(redis.call('HGET', reapers, ARGV[3]) or '', '^(.*) %d+$')
if reaper ~= ARGV[2] then return 0 end
redis.call('ZREM', nodes, ARGV[3])
redis.call('HDEL', reapers, ARGV[3])
return 1`,
);

/** Notes shards of which a node is about to hold something. KEYS index. ARGV ms ahead, end of its lease, tags. */
export const NOTE = clusterScript(
  NOW,
  `
if now > tonumber(ARGV[2]) then return 'late' end
for at = 3, #ARGV do redis.call('SADD', KEYS[1], ARGV[at]) end
return 'ok'`,
);
