-- Notes shards of which a node is about to hold something. Answer: 'late' when its lease has ended, else 'ok'.
--uses: now
--keys: index
--args: ahead_ms, lease_until
--rest: tags

if now > tonumber(lease_until) then return 'late' end
for _, tag in ipairs(tags) do redis.call('SADD', index, tag) end
return 'ok'
