-- Records that a subject was added or removed and that its notification is owed: until it is settled, or for a day.
-- Needs `owed`, `whole`, `now_us`.

local function owe(subject, outcome)
  redis.call('HSET', owed, whole(now_us) .. ':' .. outcome .. ':' .. subject, '')
  redis.call('PEXPIRE', owed, 86400000)
end
