-- Reads dead letters, oldest first.
--
-- Guarantee: they are those of one moment. The answer is bounded: they are added until they exceed the bytes given, and
-- a record larger than any job is left out of its letter.
--
-- Arguments: how many at most, bytes of the answer, bytes of the largest record. Answer: per letter its id, score,
-- attempts, failure and record; false for what is not there.
--keys: jobs, attempts, dlq, failures
--args: most, most_bytes, largest

local most, most_bytes, largest = tonumber(most), tonumber(most_bytes), tonumber(largest)
local dead = redis.call('ZRANGE', dlq, 0, most - 1, 'WITHSCORES')
local letters, bytes = {}, 0
for at = 1, #dead, 2 do
  local id = dead[at]
  local size = redis.call('HSTRLEN', jobs, id)
  local text = false
  if size > 0 and size <= largest then
    text = redis.call('HGET', jobs, id)
    bytes = bytes + size
  end
  letters[#letters + 1] = { id, dead[at + 1], redis.call('HGET', attempts, id), redis.call('HGET', failures, id), text }
  if bytes >= most_bytes then break end
end
return letters
