// Lua functions that scripts share. What they need besides their arguments is in the sentence above each of them.
// A job is written to where it goes before it is taken from where it was: a script that fails half-way, because a key
// holds what is not ours, may hand a job out twice but never lose it.

/** The clock of the server, the only one all workers share. */
export const NOW = `
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end`;

/** A whole number as text: Lua by itself writes large ones with an exponent. */
export const WHOLE = `
local function whole(number) return string.format('%.0f', number) end`;

/** Needs: events, event_retention. Never fails: an event less is better than half a transition. */
export const RECORD = `
local function record(event, id)
  if event_retention > 0 then
    redis.pcall('XADD', events, 'MAXLEN', '~', event_retention, '*', 'event', event, 'job_id', id)
  end
end`;

/** Adds to a set that is ordered by time, and by order of adding within a millisecond. Needs: whole. */
export const APPEND = `
local function append(set, id, at_ms)
  local score = at_ms * 1000
  local last = tonumber(redis.call('ZREVRANGE', set, 0, 0, 'WITHSCORES')[2])
  if last and last >= score then score = last + 1 end
  redis.call('ZADD', set, whole(score), id)
end`;

/** Lets sleeping workers look, at most so many. Needs: notify. */
export const WAKE = `
local function wake(count)
  local waiting = redis.pcall('LLEN', notify)
  if type(waiting) ~= 'number' then return end
  for _ = waiting + 1, math.min(count, 64) do redis.pcall('RPUSH', notify, '1') end
end`;

/** A count that stands in a hash; whatever else stands there counts as the default. */
export const COUNT_OF = `
local function count_of(hash, id, default)
  local text = redis.call('HGET', hash, id)
  if text and #text <= 9 and string.match(text, '^%d+$') then return tonumber(text) end
  return default
end`;

/** Ends a delivery. Needs: active, begun, tokens. */
export const TAKE_BACK = `
local function take_back(id)
  redis.call('ZREM', active, id)
  redis.call('ZREM', begun, id)
  redis.call('HDEL', tokens, id)
end`;

/** Whether the delivery with this token still runs. Needs: tokens. */
export const OWNS = `
local function owns(id, token) return redis.call('HGET', tokens, id) == token end`;

/** Forgets a dead job. Needs: dlq, jobs, attempts, own_max, failures, dedup_keys. */
export const FORGET_DEAD = `
local function forget_dead(id)
  for _, hash in ipairs({ jobs, attempts, own_max, failures, dedup_keys }) do redis.call('HDEL', hash, id) end
  redis.call('ZREM', dlq, id)
end`;

/** Makes a job a dead letter and forgets the oldest beyond failed_retention. Needs: append, record, forget_dead. */
export const BURY = `
local function bury(id, reason, detail, now)
  redis.call('HSET', failures, id, reason .. '\\n' .. detail)
  append(dlq, id, now)
  record('failed', id)
  local excess = redis.call('ZCARD', dlq) - failed_retention
  if excess > 0 then
    for _, gone in ipairs(redis.call('ZRANGE', dlq, 0, math.min(excess, 1000) - 1)) do forget_dead(gone) end
  end
end`;

/** FNV-1a-64 as a part of 1, in two 32-bit halves; the same as `fnvFraction`. */
const FNV_FRACTION = `
local function fnv_fraction(text)
  local high, low = 0xcbf29ce4, 0x84222325
  for i = 1, #text do
    local last = low % 256
    local mixed = low - last + bit.bxor(last, string.byte(text, i))
    local product = mixed * 0x1b3
    high = (high * 0x1b3 + math.floor(product / 4294967296) + (mixed * 256) % 4294967296) % 4294967296
    low = product % 4294967296
  end
  return high / 4294967296 + low / 18446744073709551616
end`;

/** The same as `retryDelayMs`. Needs: retry_base_delay_ms, retry_max_delay_ms, retry_jitter. */
export const RETRY_DELAY = `${FNV_FRACTION}
local function retry_delay_ms(id, attempt)
  local wait = math.min(retry_base_delay_ms * 2 ^ math.min(attempt - 1, 62), retry_max_delay_ms)
  local fraction = fnv_fraction(id .. ':' .. string.format('%d', attempt))
  local varied = wait * (1 - retry_jitter + 2 * retry_jitter * fraction)
  return math.min(math.floor(varied), retry_max_delay_ms)
end`;

/** A failed delivery: another one later, or none. Needs: all above, delayed, max_attempts. */
export const FAIL = `
local function fail(id, reason, detail, now)
  local attempt = count_of(attempts, id, 1)
  if attempt >= count_of(own_max, id, max_attempts) then
    bury(id, 'attempts-exhausted', detail == '' and reason or reason .. ': ' .. detail, now)
    take_back(id)
    return 'dead'
  end
  redis.call('ZADD', delayed, whole(now + retry_delay_ms(id, attempt)), id)
  take_back(id)
  record('retrying', id)
  return 'retry'
end`;
