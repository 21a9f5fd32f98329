-- Reads entries, the last of which has the serial of the counter, as of one moment.
--
-- Answer: { stream id, serial, the serial of the first entry that follows, the server's time in ms as text, entries };
-- false when there is no counter.
--keys: counter, entries
--args: first_serial

local head = redis.call('HMGET', counter, 'id', 'serial')
if not head[1] then return false end
local serial = tonumber(head[2])
local first = serial - redis.call('LLEN', entries) + 1
local from = math.max(tonumber(first_serial), first)
local found = {}
if from <= serial then found = redis.call('LRANGE', entries, from - first, -1) end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
return { head[1], serial, from, string.format('%.0f', now), found }
