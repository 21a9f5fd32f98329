-- Forgets a dead job. Needs: dlq, jobs, attempts, own_max, owners, failures, dedup_keys.
local function forget_dead(id)
  for _, hash in ipairs({ jobs, attempts, own_max, owners, failures, dedup_keys }) do redis.call('HDEL', hash, id) end
  redis.call('ZREM', dlq, id)
end
