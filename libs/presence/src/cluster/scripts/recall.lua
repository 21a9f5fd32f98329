-- Says what a batch came to whose answer is missing.
--
-- Guarantee: a batch that had not been done by then never will be.
--
-- `last`: the last batch of this node. Answer: as that of the batch, or false: not done.
--keys: last
--args: _ahead_ms, batch

local latest, kept = string.match(redis.call('GET', last) or '', '^(%d+) ?(.*)$')
if latest == batch and kept ~= '' then
  local text, payloads = unpack(cmsgpack.unpack(kept))
  return { text, false, '0', payloads }
end
-- One that arrives late must not let in what a later batch has shut out.
if not latest or tonumber(latest) < tonumber(batch) then redis.call('SET', last, batch, 'PX', 120000) end
return false
