-- Gives jobs back, to be handed out before all others and in the order given.
--
-- Guarantee: only jobs whose delivery is the caller's are moved. One that was not begun keeps no trace of it.
--
-- Arguments: per job its id, token, and '1' when it was begun. Answer: how many were moved.
--uses: time, turn, count-of, take-back, owns, wake
--keys: wait, turns, last_turns, owners, active, begun, tokens, attempts, notify
--group: id, token, was_begun

local moved = 0
for at = group_count() - 1, 0, -1 do
  local id, token, was_begun = group(at)
  if owns(id, token) then
    local first = tonumber(redis.call('ZRANGE', wait, 0, 0, 'WITHSCORES')[2])
    redis.call('ZADD', wait, whole(first and first - 1 or now_ms() * 1000), id)
    line_up_first(id)
    if was_begun ~= '1' then redis.call('HSET', attempts, id, math.max(0, count_of(attempts, id, 1) - 1)) end
    take_back(id)
    moved = moved + 1
  end
end
wake(moved)
return moved
