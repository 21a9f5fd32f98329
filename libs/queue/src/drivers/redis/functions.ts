import { DIGEST_CHARS } from './line-digest.js';

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

// A job's place is a number that grows from job to job, in 16 digits. `lines` holds, per line a job stands in, the
// line's digest, the place and the id as one text, so that a line is a range of it and its first the least of that.
// `places` holds a job's place and its digests, without meaning for a dead job but for the digests. `blocked` counts in
// how many of its lines a job is not the first, and `held` has those of them whose time has come.

/** The first texts of a line. Needs: lines. */
const FIRST_OF = `
local DIGEST, PLACE = ${DIGEST_CHARS}, 16
local function first_of(digest, count)
  return redis.call('ZRANGEBYLEX', lines, '[' .. digest, '(' .. digest .. ':', 'LIMIT', 0, count)
end`;

/** Puts a job at the end of its lines; in how many of them it waits. Needs: lines, places, next_place, blocked. */
export const ENTER = `${FIRST_OF}
local function enter(id, digests)
  local place, ahead = string.format('%016.0f', redis.call('INCR', next_place)), 0
  redis.call('HSET', places, id, place .. digests)
  for at = 1, #digests, DIGEST do
    local digest = string.sub(digests, at, at + DIGEST - 1)
    if first_of(digest, 1)[1] then ahead = ahead + 1 end
    redis.call('ZADD', lines, 0, digest .. place .. id)
  end
  if ahead > 0 then redis.call('HSET', blocked, id, ahead) end
  return ahead
end`;

/**
 * Takes a job out of its lines; those whose turn and time it is now become ready.
 * Needs: append, record, wake, lines, places, next_place, blocked, held, wait.
 */
export const LEAVE = `${FIRST_OF}
local function take_turn(id, now)
  if redis.call('HINCRBY', blocked, id, -1) > 0 then return 0 end
  redis.call('HDEL', blocked, id)
  if not redis.call('ZSCORE', held, id) then return 0 end
  append(wait, id, now)
  redis.call('ZREM', held, id)
  record('waiting', id)
  return 1
end

local function leave(id, now)
  local kept = redis.call('HGET', places, id)
  if not kept then return end
  local place, freed = string.sub(kept, 1, PLACE), 0
  for at = PLACE + 1, #kept, DIGEST do
    local digest = string.sub(kept, at, at + DIGEST - 1)
    local own, first = digest .. place .. id, first_of(digest, 2)
    redis.call('ZREM', lines, own)
    if first[1] == own and first[2] then
      freed = freed + take_turn(string.sub(first[2], DIGEST + PLACE + 1), now)
    end
  end
  if redis.call('ZCARD', lines) == 0 then redis.call('DEL', next_place) end
  if freed > 0 then wake(freed) end
end`;

/** A count that stands in a hash; whatever else stands there counts as the default. */
export const COUNT_OF = `
local function count_of(hash, id, default)
  local text = redis.call('HGET', hash, id)
  if text and #text <= 9 and string.match(text, '^%d+$') then return tonumber(text) end
  return default
end`;

/** Ends a delivery. Needs: active, tokens. */
export const TAKE_BACK = `
local function take_back(id)
  redis.call('ZREM', active, id)
  redis.call('HDEL', tokens, id)
end`;

/** Whether the delivery with this token still runs. Needs: tokens. */
export const OWNS = `
local function owns(id, token) return redis.call('HGET', tokens, id) == token end`;

/** Forgets a dead job. Needs: dlq, jobs, attempts, own_max, failures, dedup_keys, places. */
export const FORGET_DEAD = `
local function forget_dead(id)
  for _, hash in ipairs({ jobs, attempts, own_max, failures, dedup_keys, places }) do redis.call('HDEL', hash, id) end
  redis.call('ZREM', dlq, id)
end`;

/**
 * Makes a job a dead letter and forgets the oldest beyond failed_retention. Needs: append, record, leave, forget_dead.
 */
export const BURY = `
local function bury(id, reason, detail, now)
  redis.call('HSET', failures, id, reason .. '\\n' .. detail)
  append(dlq, id, now)
  record('failed', id)
  leave(id, now)
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
