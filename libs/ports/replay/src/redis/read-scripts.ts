import { redisScript } from '@carillon/redis';

/**
 * KEYS[1] counter, KEYS[2] list of entries; ARGV a fresh stream id, life of the counter in ms. Answers stream id and
 * serial; a counter that is not there begins at 0. The counter lives on from now.
 */
export const HEAD = redisScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('HSET', KEYS[1], 'id', ARGV[1], 'serial', 0, 'bytes', 0)
  redis.call('DEL', KEYS[2])
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
local head = redis.call('HMGET', KEYS[1], 'id', 'serial')
return { head[1], tonumber(head[2]) }
`);

/**
 * KEYS[1] counter, KEYS[2] list of entries, whose last one has the serial of the counter; ARGV first serial. Answers
 * stream id, serial, the serial of the first entry that follows, the server's time in ms as text, and the entries as of
 * one moment; false when there is no counter.
 */
export const RANGE = redisScript(`
local head = redis.call('HMGET', KEYS[1], 'id', 'serial')
if not head[1] then return false end
local serial = tonumber(head[2])
local first = serial - redis.call('LLEN', KEYS[2]) + 1
local from = math.max(tonumber(ARGV[1]), first)
local entries = {}
if from <= serial then entries = redis.call('LRANGE', KEYS[2], from - first, -1) end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
return { head[1], serial, from, string.format('%.0f', now), entries }
`);

/**
 * KEYS[1] counter, KEYS[2] list of entries; ARGV the stream id it must have, a fresh one, life of the counter in ms.
 * Begins the fresh stream at 0 if the counter is of the one named; answers 1 when it did.
 */
export const RENEW = redisScript(`
if redis.call('HGET', KEYS[1], 'id') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'id', ARGV[2], 'serial', 0, 'bytes', 0)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('DEL', KEYS[2])
return 1
`);
