-- Adds and answers the sum as text; a counter that was absent begins at 0 and gets the ttl, an existing one keeps its own.
-- Answers false and changes nothing when the value is not an integer in its plain form, or the sum is beyond what a
-- double holds exactly.
--
-- `ttl_ms`: '0' for none.
--keys: counter
--args: amount, ttl_ms

local value = redis.call('GET', counter)
if value and value ~= '0' and not string.match(value, '^%-?[1-9]%d*$') then return false end
local before = tonumber(value or '0')
local sum = before + tonumber(amount)
local most = 9007199254740991
if math.abs(before) > most or math.abs(sum) > most then return false end
if value then
  redis.call('INCRBY', counter, amount)
elseif ttl_ms == '0' then
  redis.call('SET', counter, amount)
else
  redis.call('SET', counter, amount, 'PX', ttl_ms)
end
return string.format('%.0f', sum)
