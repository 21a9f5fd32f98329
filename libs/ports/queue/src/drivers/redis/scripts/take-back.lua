-- Ends a delivery. Needs: active, tokens.
local function take_back(id)
  redis.call('ZREM', active, id)
  redis.call('HDEL', tokens, id)
end
