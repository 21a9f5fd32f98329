-- Makes a job a dead letter and forgets the oldest beyond failed_retention. Needs: append, record, forget_dead.
local function bury(id, reason, detail, now)
  redis.call('HSET', failures, id, reason .. '\n' .. detail)
  append(dlq, id, now)
  record('failed', id)
  local excess = redis.call('ZCARD', dlq) - failed_retention
  if excess > 0 then
    for _, gone in ipairs(redis.call('ZRANGE', dlq, 0, math.min(excess, 1000) - 1)) do forget_dead(gone) end
  end
end
