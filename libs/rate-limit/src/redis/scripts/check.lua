-- Forgets what left the window; then counts the cost whole or not at all, in one step with the check. A check whose name
-- is there already was counted before and is allowed without counting again, so a check may be repeated when its answer
-- was lost. The set is never longer than the largest limit it was checked against, and expires with the window.
--
-- `counted`: what was counted, scored by the server's time in ms. `name`: of this check.
-- Answer: { 1 or 0 for allowed, what the window holds now }.
--keys: counted
--args: window_ms, limit, cost, name

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZREMRANGEBYSCORE', counted, '-inf', string.format('%.0f', now - tonumber(window_ms)))
local held, units = redis.call('ZCARD', counted), tonumber(cost)
if redis.call('ZSCORE', counted, name .. ':1') then return { 1, held } end
if held + units > tonumber(limit) then return { 0, held } end
if units == 0 then return { 1, held } end
local score = string.format('%.0f', now)
local chunk = {}
for unit = 1, units do
  chunk[#chunk + 1] = score
  chunk[#chunk + 1] = name .. ':' .. unit
  if #chunk == 2000 or unit == units then
    redis.call('ZADD', counted, unpack(chunk))
    chunk = {}
  end
end
redis.call('PEXPIRE', counted, window_ms)
return { 1, held + units }
