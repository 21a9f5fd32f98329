-- Begins a fresh stream at 0 if the counter is of the one named; answers 1 when it did.
--keys: counter, entries
--args: expected_id, fresh_id, counter_ms

if redis.call('HGET', counter, 'id') ~= expected_id then return 0 end
redis.call('HSET', counter, 'id', fresh_id, 'serial', 0, 'bytes', 0)
redis.call('PEXPIRE', counter, counter_ms)
redis.call('DEL', entries)
return 1
