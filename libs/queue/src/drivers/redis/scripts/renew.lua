-- Renews leases.
--
-- Guarantee: a lease is renewed only for the delivery that holds the job, even when its time was over and nobody else
-- has come yet.
--
-- Arguments: per job its id and token. Answer: the places of those that are lost.
--uses: time, owns
--keys: active, tokens
--numbers: lease_duration_ms
--group: id, token

local until_ms = whole(now_ms() + lease_duration_ms)
local lost = {}
for at = 0, group_count() - 1 do
  local id, token = group(at)
  if owns(id, token) then
    redis.call('ZADD', active, until_ms, id)
  else
    lost[#lost + 1] = at + 1
  end
end
return lost
