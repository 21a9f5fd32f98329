-- A failed delivery: another one later, or none. Needs: all above, delayed, max_attempts.
local function fail(id, reason, detail, now)
  local attempt = count_of(attempts, id, 1)
  if attempt >= count_of(own_max, id, max_attempts) then
    bury(id, 'attempts-exhausted', detail == '' and reason or reason .. ': ' .. detail, now)
    take_back(id)
    return 'dead'
  end
  redis.call('ZADD', delayed, whole(now + retry_delay_ms(id, attempt)), id)
  take_back(id)
  record('retrying', id)
  return 'retry'
end
