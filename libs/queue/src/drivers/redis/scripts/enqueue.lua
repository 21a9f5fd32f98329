-- Writes a chunk of jobs.
--
-- Guarantee: all of them are written or none. A job whose id is there with the same fingerprint, waiting, running, dead
-- or among the completed, is not written again; with another one, the whole chunk is refused. A job whose deduplication
-- key stands for a job that exists, and was enqueued with it, is not written and goes by that one's id. Running it again
-- with the same ids changes nothing, so a lost answer may be followed by another try.
--
-- Arguments: per job its id, fingerprint, data, delay in ms, deduplication key or '', attempts or '',
-- owner or ''. Answer: the ids, or 'conflict' and the place of the job in conflict.
--uses: time, record, append, turn, wake
--keys: jobs, wait, turns, last_turns, owners, delayed, own_max, dedup, dedup_expiry, dedup_keys, notify, events
--numbers: event_retention, deduplication_ttl_ms
--group: id, fingerprint, data, delay_ms, key, most_attempts, owner

local now = now_ms()
local ids, fresh, fingerprints, keys = {}, {}, {}, {}

local function first_with(key)
  if keys[key] then return keys[key] end
  local id = redis.call('HGET', dedup, key)
  local until_ms = tonumber(redis.call('ZSCORE', dedup_expiry, key) or 0)
  if not id or until_ms <= now or redis.call('HEXISTS', jobs, id) == 0 then return nil end
  -- Another job may have come under the id of one that is gone.
  if redis.call('HGET', dedup_keys, id) == key then return id end
end

local function fingerprint_of(id)
  if fingerprints[id] then return fingerprints[id] end
  local text = redis.call('HGET', jobs, id)
  if not text then return nil end
  return string.match(text, '^2:%d+:([%w_-]*):') or string.match(text, '^c:([%w_-]*)$') or 'unreadable'
end

for at = 1, group_count() do
  local id, fingerprint, _, _, key = group(at - 1)
  local first = key ~= '' and first_with(key) or nil
  if first then
    ids[at] = first
  else
    local known = fingerprint_of(id)
    if known and known ~= fingerprint then return { 'conflict', at } end
    if not known then fresh[#fresh + 1] = at - 1 end
    ids[at], fingerprints[id] = id, fingerprint
    if key ~= '' then keys[key] = id end
  end
end

for _, key in ipairs(redis.call('ZRANGEBYSCORE', dedup_expiry, '-inf', now, 'LIMIT', 0, 100 + #fresh)) do
  redis.call('HDEL', dedup, key)
  redis.call('ZREM', dedup_expiry, key)
end

for _, at in ipairs(fresh) do
  local id, fingerprint, data, delay_ms, key, most, owner = group(at)
  local delay = tonumber(delay_ms)
  if most ~= '' then redis.call('HSET', own_max, id, most) end
  if owner ~= '' then redis.call('HSET', owners, id, owner) end
  if key ~= '' then
    redis.call('HSET', dedup, key, id)
    redis.call('HSET', dedup_keys, id, key)
    redis.call('ZADD', dedup_expiry, whole(now + deduplication_ttl_ms), key)
  end
  if delay > 0 then
    redis.call('ZADD', delayed, whole(now + delay), id)
  else
    append(wait, id, now)
    line_up(id)
  end
  -- Last, because a job that is here counts as enqueued.
  redis.call('HSET', jobs, id, '2:' .. whole(now) .. ':' .. fingerprint .. ':' .. data)
  record('enqueued', id)
end
wake(#fresh)
return ids
