-- Sets how much a node holds of some subjects of a shard. Counts are absolute, so that saying it again is harmless.
--
-- Guarantee: a subject is added by whoever holds something of it first, and removed by whoever gives back the last of
-- it, or ends the lease that kept it; each once, whatever nodes do at the same time. A subject that is given back and
-- not known has been lost, and others may have some of it too: a lease keeps it until they have said so. Who comes to
-- a leftover is told, since it may have been told to be gone. Nothing happens when the lease of the node has ended, or
-- when the batch was recalled ('late').
--
-- `came_by_text`: what a subject that is added comes by, of digits and dots, or nothing.
-- `held`, `last` and `owed`: of this node. `wants_subjects`: '1' for all of them. `owes`: '1' records each subject that is
-- added or removed among what this node owes, in the same step. Of an operation: `count` -1 ends a lease;
-- `tells` '1': the payload is told, and is a new version of
-- the subject; `replaces` '1' replaces the payload of a known subject, of one that is given back only with the last of it;
-- `most_subjects` and `most_total` (of this one over all nodes)
-- -1: no limit; `lease_ms` keeps what is given back, `lost_ms` what is given back and not known.
-- Answer: 'late', or { serial and per operation its outcome, total, count, ms of its lease, what the subject came by
-- and its version before;
-- subjects; serial of them; of each subject that is 'removed' its payload }.
--uses: now, subject, owe
--keys: subjects, held, last, owed
--args: ahead_ms, node, lease_until, batch, wants_subjects, owes
--group: subject, count, payload, replaces, lease_ms, cause, most_subjects, most_total, lost_ms, came_by_text, tells

if now > tonumber(lease_until) then return 'late' end

local payloads = {}
local function remove(subject, payload)
  redis.call('HDEL', subjects, subject)
  redis.call('HDEL', held, subject)
  payloads[#payloads + 1] = payload
end

local latest = string.match(redis.call('GET', last) or '', '^%d+')
if latest and tonumber(latest) >= tonumber(batch) then return 'late' end

local function end_lease(subject, subject_now, own)
  if subject_now and subject_now.total == 0 and subject_now.lease_node == node then
    if subject_now.lease_until > now then return 'early', 0, 0, subject_now.lease_until - now end
    remove(subject, subject_now.payload)
    return 'removed', 0, 0
  end
  if own == '0' then redis.call('HDEL', held, subject) end
  return 'unchanged', subject_now and subject_now.total or 0, tonumber(own or '0')
end

local function give_back(subject, subject_now, others, known, payload, lease_ms, cause)
  if others > 0 then
    redis.call('HDEL', held, subject)
    write(subject, others, known.order, known.payload, known.version)
    return 'unchanged', others, 0
  end
  if subject_now and subject_now.total == 0 then
    if subject_now.lease_node == node then return 'leased', 0, 0, math.max(0, subject_now.lease_until - now) end
    -- A lease of another node keeps it already: whoever goes had nothing of it.
    return 'unchanged', 0, 0
  end
  if lease_ms > 0 then
    write_leased(subject, known.order, payload, now + lease_ms, node, cause)
    redis.call('HSET', held, subject, '0')
    return 'leased', 0, 0, lease_ms
  end
  if subject_now then
    remove(subject, payload)
    return 'removed', 0, 0
  end
  redis.call('HDEL', held, subject)
  return 'unchanged', 0, 0
end

local outcomes = { whole(now_us) }
for at = 0, group_count() - 1 do
  local subject, count_text, payload, replaces, lease_text, cause, most_subjects_text, most_text, lost_text, came_by_text, tells = group(at)
  local count = tonumber(count_text)
  local most_subjects, most_total = tonumber(most_subjects_text), tonumber(most_text)
  local subject_now, own = read(subject), redis.call('HGET', held, subject)
  local before = tonumber(own or '0') or 0
  local others = subject_now and math.max(0, subject_now.total - before) or 0
  local order = whole(now_us) .. '.' .. string.format('%04d', at) .. (came_by_text == '' and '' or '.' .. came_by_text)
  local known = subject_now or { order = order, payload = payload, version = '' }
  local payload_next = replaces == '1' and payload or known.payload
  local outcome, total, lease_ms
  if count < 0 then
    outcome, total, count, lease_ms = end_lease(subject, subject_now, own)
  elseif count == 0 then
    lease_ms = tonumber(subject_now and lease_text or lost_text)
    outcome, total, count, lease_ms = give_back(subject, subject_now, others, known, payload_next, lease_ms, cause)
  else
    if most_total >= 0 then count = math.max(before, math.min(count, most_total - others)) end
    if count == 0 then
      outcome, total = 'full', others
    elseif not subject_now and most_subjects >= 0 and redis.call('HLEN', subjects) >= most_subjects then
      outcome, total, count = 'full', others, 0
    else
      local is_known = subject_now and subject_now.cause ~= LEFTOVER
      outcome, total = is_known and 'unchanged' or 'added', others + count
      local is_version = outcome == 'added' or tells == '1'
      write(subject, total, known.order, payload_next, is_version and whole(now_us) or known.version)
      redis.call('HSET', held, subject, whole(count))
    end
  end
  if owes == '1' and (outcome == 'added' or outcome == 'removed') then owe(subject, outcome) end
  outcomes[#outcomes + 1] = table.concat({ outcome, whole(total), whole(count), whole(lease_ms or 0), came_by(known), known.version }, ':')
end

local text = table.concat(outcomes, ' ')
redis.call('SET', last, batch .. ' ' .. cmsgpack.pack({ text, payloads }), 'PX', 120000)
return { text, wants_subjects == '1' and redis.call('HGETALL', subjects), whole(now_us), payloads }
