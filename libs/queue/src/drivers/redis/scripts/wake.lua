-- Lets sleeping workers look, at most so many. Needs: notify.
local function wake(count)
  local waiting = redis.pcall('LLEN', notify)
  if type(waiting) ~= 'number' then return end
  for _ = waiting + 1, math.min(count, 64) do redis.pcall('RPUSH', notify, '1') end
end
