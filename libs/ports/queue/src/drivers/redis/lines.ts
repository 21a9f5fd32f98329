import { createHash } from 'node:crypto';

/** Characters that stand for a line, whatever its name. */
const DIGEST_CHARS = 22;

/** What stands for the lines of a job, in their order, as one text of digests of equal length. */
export function lineDigests(lines: readonly string[]): string {
  if (lines.length === 0) return '';
  // Were two names to meet in one digest, the job would wait for itself.
  return [...new Set(lines.map(digestOf))].join('');
}

const digestOf = (line: string): string =>
  createHash('sha256').update(line, 'utf8').digest('base64url').slice(0, DIGEST_CHARS);

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

local function leave_line(digest, own, now)
  local first = first_of(digest, 2)
  redis.call('ZREM', lines, own)
  if first[1] ~= own or not first[2] then return 0 end
  return take_turn(string.sub(first[2], DIGEST + PLACE + 1), now)
end

local function leave(id, now)
  local kept = redis.call('HGET', places, id)
  if not kept then return end
  local place, freed = string.sub(kept, 1, PLACE), 0
  for at = PLACE + 1, #kept, DIGEST do
    local digest = string.sub(kept, at, at + DIGEST - 1)
    freed = freed + leave_line(digest, digest .. place .. id, now)
  end
  if redis.call('ZCARD', lines) == 0 then redis.call('DEL', next_place) end
  if freed > 0 then wake(freed) end
end`;

/**
 * Whether one of the jobs whose time came that long ago could be let have its turn, because somebody before it is gone
 * without having left: a worker of a version that knows no lines may have settled it. One job a call, another one at
 * another time. Needs: first_of, leave_line, jobs, completed, dlq, places, held.
 */
export const MOVE_ON = `
local function is_gone(text)
  local place, id = string.sub(text, DIGEST + 1, DIGEST + PLACE), string.sub(text, DIGEST + PLACE + 1)
  if string.sub(redis.call('HGET', places, id) or '', 1, PLACE) ~= place then return true end
  return redis.call('HEXISTS', jobs, id) == 0 or redis.call('ZSCORE', completed, id) or redis.call('ZSCORE', dlq, id)
end

local function move_on(since_ms, now)
  local count, freed = redis.call('ZCOUNT', held, '-inf', whole(since_ms * 1000)), 0
  if count == 0 then return false end
  local at = now % count
  local kept = redis.call('HGET', places, redis.call('ZRANGE', held, at, at)[1]) or ''
  for from = PLACE + 1, #kept, DIGEST do
    local digest = string.sub(kept, from, from + DIGEST - 1)
    local first = first_of(digest, 1)[1]
    if first and is_gone(first) then freed = freed + leave_line(digest, first, now) end
  end
  return freed > 0
end`;
