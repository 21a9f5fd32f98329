-- Takes back what a dead node holds in a shard, a page at a time.
--
-- Guarantee: each subject leaves the hands of the dead node once. Until the page is confirmed, every further call
-- answers the same page, whoever asks: what a reaper could not tell any more, the next one tells. Nothing happens when
-- the caller's claim has ended ('late'). Leases the dead node had begun end when their time is over.
--
-- `held`, `last` and `owed`: of the dead node. `is_confirmed`: '1' when the page before is. `owes`: '1' records each
-- subject that is removed among what the dead node owes, in the same step.
-- Answer: 'late', or { cursor of the next page ('0': none), how much is still held, serial, per change subject,
-- outcome, total, cause and what it came by, and of each that is 'removed' its payload (not so on a page that a process
-- of before has left) }.
--uses: now, subject, owe
--keys: subjects, held, last, owed
--args: ahead_ms, claim_until, cursor, is_confirmed, dead_node, owes

if now > tonumber(claim_until) then return 'late' end

local PAGE, MARK = 500, 'page 2 '
if is_confirmed == '1' then redis.call('DEL', last) end
local known = redis.call('GET', last)
if known and string.sub(known, 1, #MARK) == MARK then return cmsgpack.unpack(string.sub(known, #MARK + 1)) end

local scan = redis.call('HSCAN', held, cursor, 'COUNT', PAGE)
local changes, payloads = {}, {}
local function tell(subject, outcome, total, cause, known)
  for _, one in ipairs({ subject, outcome, whole(total), cause, came_by(known) }) do changes[#changes + 1] = one end
end
local function remove(subject, cause, known)
  redis.call('HDEL', subjects, subject)
  payloads[#payloads + 1] = known.payload
  if owes == '1' then owe(subject, 'removed') end
  tell(subject, 'removed', 0, cause, known)
end

for at = 1, #scan[2], 2 do
  local subject, count = scan[2][at], tonumber(scan[2][at + 1]) or 0
  local subject_now = read(subject)
  local is_kept = false
  if subject_now and count > 0 and subject_now.total > 0 then
    local total = math.max(0, subject_now.total - count)
    if total == 0 then
      remove(subject, LEFTOVER, subject_now)
    else
      write(subject, total, subject_now.order, subject_now.payload, subject_now.version)
      tell(subject, 'unchanged', total, LEFTOVER, subject_now)
    end
  elseif subject_now and count == 0 and subject_now.total == 0
    and subject_now.lease_node == dead_node then
    is_kept = subject_now.lease_until > now
    if not is_kept then remove(subject, subject_now.cause, subject_now) end
  end
  if not is_kept then redis.call('HDEL', held, subject) end
end

local page = { scan[1], whole(redis.call('HLEN', held)), whole(now_us), changes, payloads }
if #changes > 0 then redis.call('SET', last, MARK .. cmsgpack.pack(page), 'PX', 3600000) end
return page
