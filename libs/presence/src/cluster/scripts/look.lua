-- Reads a shard, or some of its subjects.
--
-- Guarantee: changes with a serial up to the answer's are in it, later ones are not.
--
-- `wanted`: subjects; none: all of them. Answer: { serial, per subject its name and its record }.
--uses: now
--keys: subjects
--args: ahead_ms
--rest: wanted

local serial = whole(now_us)
if #wanted == 0 then return { serial, redis.call('HGETALL', subjects) } end
local known = {}
for _, subject in ipairs(wanted) do
  local record = redis.call('HGET', subjects, subject)
  if record then
    known[#known + 1] = subject
    known[#known + 1] = record
  end
end
return { serial, known }
