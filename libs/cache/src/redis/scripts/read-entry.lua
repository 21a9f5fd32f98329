-- Answers an entry's value and its time left in ms (-1: it does not expire) as of one moment; false when there is none.
--keys: entry

local value = redis.call('GET', entry)
if not value then return false end
return { value, redis.call('PTTL', entry) }
