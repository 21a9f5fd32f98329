-- Ends a delivery. Needs: active, begun, tokens.
local function take_back(id)
  redis.call('ZREM', active, id)
  redis.call('ZREM', begun, id)
  redis.call('HDEL', tokens, id)
end
