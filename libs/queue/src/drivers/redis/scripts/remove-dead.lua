-- Forgets dead letters.
--
-- Guarantee: an id that is no dead letter, or no longer, is left alone.
--
-- Arguments: ids. Answer: how many were dead letters.
--uses: forget-dead
--keys: jobs, attempts, own_max, owners, dlq, failures, dedup_keys
--rest: ids

local removed = 0
for _, id in ipairs(ids) do
  if redis.call('ZSCORE', dlq, id) then
    forget_dead(id)
    removed = removed + 1
  end
end
return removed
