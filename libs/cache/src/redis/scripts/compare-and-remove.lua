-- Removes an entry only if its value is the expected one; answers 1 when it did.
--keys: entry
--args: expected

if redis.call('GET', entry) ~= expected then return 0 end
return redis.call('DEL', entry)
