-- Whether the delivery with this token still runs. Needs: tokens.
local function owns(id, token) return redis.call('HGET', tokens, id) == token end
