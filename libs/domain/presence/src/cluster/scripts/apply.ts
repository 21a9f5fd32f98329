import { LEFTOVER } from '../operation.js';
import { clusterScript, NOW, SUBJECT } from './common.js';

/** Fields of one operation in the arguments. */
export const OPERATION_WIDTH = 9;

/**
 * Sets how much a node holds of some subjects of a shard. Counts are absolute, so that saying it again is harmless.
 *
 * Guarantee: a subject is added by whoever holds something of it first, and removed by whoever gives back the last of
 * it, or ends the lease that kept it; each once, whatever nodes do at the same time. A subject that is given back and
 * not known has been lost, and others may have some of it too: a lease keeps it until they have said so. Who comes to
 * a leftover is told, since it may have been told to be gone. Nothing happens when the lease of the node has ended, or
 * when the batch was recalled ('late').
 *
 * KEYS subjects, held by this node, its last batch. ARGV ms ahead, node, end of its lease, number of the batch, '1' for
 * the subjects; per operation subject, count (-1: end of a lease), payload, '1' to replace the payload of a known
 * subject, lease in ms, cause, most subjects, most of this subject over all nodes (-1: no limit), lease in ms if lost.
 * Answer: 'late', or { serial and per operation its outcome, total, count and ms of its lease; subjects; serial of them }.
 */
export const APPLY = clusterScript(
  NOW,
  `
local subjects, held, last = KEYS[1], KEYS[2], KEYS[3]
local node, batch = ARGV[2], ARGV[4]
if now > tonumber(ARGV[3]) then return 'late' end`,
  SUBJECT,
  `
local function answer(text)
  return { text, ARGV[5] == '1' and redis.call('HGETALL', subjects), whole(now_us) }
end

local latest = string.match(redis.call('GET', last) or '', '^%d+')
if latest and tonumber(latest) >= tonumber(batch) then return 'late' end

local function end_lease(subject, subject_now, own)
  if subject_now and subject_now.total == 0 and subject_now.lease_node == node then
    if subject_now.lease_until > now then return 'early', 0, 0, subject_now.lease_until - now end
    redis.call('HDEL', subjects, subject)
    redis.call('HDEL', held, subject)
    return 'removed', 0, 0
  end
  if own == '0' then redis.call('HDEL', held, subject) end
  return 'unchanged', subject_now and subject_now.total or 0, tonumber(own or '0')
end

local function give_back(subject, subject_now, others, known, lease_ms, cause)
  if others > 0 then
    redis.call('HDEL', held, subject)
    write(subject, others, known.order, known.payload)
    return 'unchanged', others, 0
  end
  if subject_now and subject_now.total == 0 then
    if subject_now.lease_node == node then return 'leased', 0, 0, math.max(0, subject_now.lease_until - now) end
    -- A lease of another node keeps it already: whoever goes had nothing of it.
    return 'unchanged', 0, 0
  end
  if lease_ms > 0 then
    write(subject, 0, known.order, known.payload, now + lease_ms, node, cause)
    redis.call('HSET', held, subject, '0')
    return 'leased', 0, 0, lease_ms
  end
  redis.call('HDEL', subjects, subject)
  redis.call('HDEL', held, subject)
  return subject_now and 'removed' or 'unchanged', 0, 0
end

local outcomes = { whole(now_us) }
for at = 0, (#ARGV - 5) / ${OPERATION_WIDTH} - 1 do
  local function field(n) return ARGV[5 + at * ${OPERATION_WIDTH} + n] end
  local subject, count = field(1), tonumber(field(2))
  local most_subjects, most_total = tonumber(field(7)), tonumber(field(8))
  local subject_now, own = read(subject), redis.call('HGET', held, subject)
  local before = tonumber(own or '0') or 0
  local others = subject_now and math.max(0, subject_now.total - before) or 0
  local known = subject_now or { order = whole(now_us) .. '.' .. string.format('%04d', at), payload = field(3) }
  local outcome, total, lease_ms
  if count < 0 then
    outcome, total, count, lease_ms = end_lease(subject, subject_now, own)
  elseif count == 0 then
    lease_ms = tonumber(field(subject_now and 5 or 9))
    outcome, total, count, lease_ms = give_back(subject, subject_now, others, known, lease_ms, field(6))
  else
    if most_total >= 0 then count = math.max(before, math.min(count, most_total - others)) end
    if count == 0 then
      outcome, total = 'full', others
    elseif not subject_now and most_subjects >= 0 and redis.call('HLEN', subjects) >= most_subjects then
      outcome, total, count = 'full', others, 0
    else
      local is_known = subject_now and subject_now.cause ~= '${LEFTOVER}'
      outcome, total = is_known and 'unchanged' or 'added', others + count
      write(subject, total, known.order, field(4) == '1' and field(3) or known.payload)
      redis.call('HSET', held, subject, whole(count))
    end
  end
  outcomes[#outcomes + 1] = table.concat({ outcome, whole(total), whole(count), whole(lease_ms or 0) }, ':')
end

local text = table.concat(outcomes, ' ')
redis.call('SET', last, batch .. ' ' .. text, 'PX', 120000)
return answer(text)`,
);

/**
 * Says what a batch came to whose answer is missing.
 *
 * Guarantee: a batch that had not been done by then never will be.
 *
 * KEYS last batch of this node. ARGV ms ahead, number of the batch. Answer: as that of the batch, or false: not done.
 */
export const RECALL = clusterScript(`
local latest, text = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) ?(.*)$')
if latest == ARGV[2] and text ~= '' then return { text, false, '0' } end
-- One that arrives late must not let in what a later batch has shut out.
if not latest or tonumber(latest) < tonumber(ARGV[2]) then redis.call('SET', KEYS[1], ARGV[2], 'PX', 120000) end
return false`);
