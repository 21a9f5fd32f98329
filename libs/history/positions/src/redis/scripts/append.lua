-- Takes the next serial and appends the entry in one step, then drops the oldest entries until all bounds hold. A counter
-- that is not there begins a stream and drops what is left of the one before. An entry whose position is known in the
-- present stream takes none.
--
-- `counter`: a hash of id, serial, bytes. `position`: of an entry that may be tried again; absent: it is not.
-- Answer: { stream id, serial }.
--keys: counter, entries, position
--args: fresh_id, text, most_entries, most_bytes, most_age_ms, counter_ms, position_ms

local id = redis.call('HGET', counter, 'id')
if not id then
  id = fresh_id
  redis.call('HSET', counter, 'id', id, 'serial', 0, 'bytes', 0)
  redis.call('DEL', entries)
end
if position then
  local known = redis.call('GET', position)
  if known and string.sub(known, 1, #id) == id then return { id, tonumber(string.sub(known, #id + 2)) } end
end
local serial = redis.call('HINCRBY', counter, 'serial', 1)
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local entry = string.format('%.0f', now) .. ' ' .. text
local count = redis.call('RPUSH', entries, entry)
local bytes = #entry
if count > 1 then bytes = bytes + tonumber(redis.call('HGET', counter, 'bytes')) end
while count > 0 do
  local oldest = redis.call('LINDEX', entries, 0)
  local age = now - tonumber(string.match(oldest, '^%d+'))
  if count <= tonumber(most_entries) and bytes <= tonumber(most_bytes) and age <= tonumber(most_age_ms) then break end
  redis.call('LPOP', entries)
  bytes = bytes - #oldest
  count = count - 1
end
redis.call('HSET', counter, 'bytes', string.format('%.0f', bytes))
redis.call('PEXPIRE', counter, counter_ms)
if count > 0 then redis.call('PEXPIRE', entries, most_age_ms) end
if position then redis.call('SET', position, id .. ' ' .. serial, 'PX', position_ms) end
return { id, serial }
