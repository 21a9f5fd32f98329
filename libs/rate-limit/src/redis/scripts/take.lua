-- Takes the cost from a bucket of tokens whole or not at all. A bucket is kept as the moment at which it is full, and
-- expires then. A call whose answer was lost may have taken its cost; repeated, it takes it again.
--
-- `bucket`: the server's time in ms at which no token is missing.
-- Answer: { 1 or 0 for allowed, the ms that the bucket now needs to be full }.
--keys: bucket
--numbers: window_ms, limit, cost

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000
local missing = math.max(0, tonumber(redis.call('GET', bucket) or '0') - now)
if cost == 0 then return { 1, string.format('%.3f', missing) } end
local token = window_ms / limit
local after = missing + cost * token
if limit == 0 or after > window_ms + token * SLACK then return { 0, string.format('%.3f', missing) } end
redis.call('SET', bucket, string.format('%.3f', now + after), 'PX', math.ceil(after))
return { 1, string.format('%.3f', after) }
