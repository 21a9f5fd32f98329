-- Writes a new value with its ttl only if the value is the expected one; answers 1 when it did. Of many that expect the
-- same value, one succeeds.
--
-- `ttl_ms`: '0' for none.
--keys: entry
--args: expected, value, ttl_ms

if redis.call('GET', entry) ~= expected then return 0 end
if ttl_ms == '0' then
  redis.call('SET', entry, value)
else
  redis.call('SET', entry, value, 'PX', ttl_ms)
end
return 1
