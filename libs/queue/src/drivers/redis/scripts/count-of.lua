-- A count that stands in a hash; whatever else stands there counts as the default.
local function count_of(hash, id, default)
  local text = redis.call('HGET', hash, id)
  if text and #text <= 9 and string.match(text, '^%d+$') then return tonumber(text) end
  return default
end
