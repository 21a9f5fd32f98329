-- Strikes a dead node off, if nobody else clears up after it.
--keys: nodes, reapers
--args: _ahead_ms, node, dead_node

local reaper = string.match(redis.call('HGET', reapers, dead_node) or '', '^(.*) %d+$')
if reaper ~= node then return 0 end
redis.call('ZREM', nodes, dead_node)
redis.call('HDEL', reapers, dead_node)
return 1
