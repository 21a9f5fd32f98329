import { redisScript } from '@carillon/redis';

/**
 * KEYS[1] counter (hash of id, serial, bytes), KEYS[2] list of entries, KEYS[3] position of an entry that may be tried
 * again (absent: it is not); ARGV a fresh stream id, text, most entries, most bytes, most age in ms, life of the counter
 * in ms, life of KEYS[3] in ms. Takes the next serial and appends the entry in one step, then drops the oldest entries
 * until all bounds hold; a counter that is not there begins a stream and drops what is left of the one before. An entry
 * whose position is known in the present stream takes none. Answers stream id and serial.
 */
export const APPEND = redisScript(`
local id = redis.call('HGET', KEYS[1], 'id')
if not id then
  id = ARGV[1]
  redis.call('HSET', KEYS[1], 'id', id, 'serial', 0, 'bytes', 0)
  redis.call('DEL', KEYS[2])
end
if KEYS[3] then
  local known = redis.call('GET', KEYS[3])
  if known and string.sub(known, 1, #id) == id then return { id, tonumber(string.sub(known, #id + 2)) } end
end
local serial = redis.call('HINCRBY', KEYS[1], 'serial', 1)
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local entry = string.format('%.0f', now) .. ' ' .. ARGV[2]
local count = redis.call('RPUSH', KEYS[2], entry)
local bytes = #entry
if count > 1 then bytes = bytes + tonumber(redis.call('HGET', KEYS[1], 'bytes')) end
while count > 0 do
  local oldest = redis.call('LINDEX', KEYS[2], 0)
  local age = now - tonumber(string.match(oldest, '^%d+'))
  if count <= tonumber(ARGV[3]) and bytes <= tonumber(ARGV[4]) and age <= tonumber(ARGV[5]) then break end
  redis.call('LPOP', KEYS[2])
  bytes = bytes - #oldest
  count = count - 1
end
redis.call('HSET', KEYS[1], 'bytes', string.format('%.0f', bytes))
redis.call('PEXPIRE', KEYS[1], ARGV[6])
if count > 0 then redis.call('PEXPIRE', KEYS[2], ARGV[5]) end
if KEYS[3] then redis.call('SET', KEYS[3], id .. ' ' .. serial, 'PX', ARGV[7]) end
return { id, serial }
`);
