-- The clock of the server, the only one all nodes share. Needs `ahead_ms`: milliseconds to add to it.

local time = redis.call('TIME')
local now_us = time[1] * 1000000 + time[2] + tonumber(ahead_ms) * 1000
local now = math.floor(now_us / 1000)
local function whole(number) return string.format('%.0f', number) end
