import { clusterScript, NOW, SUBJECT } from './common.js';

/** Fields of one operation in the arguments. */
export const OPERATION_WIDTH = 8;

/**
 * Sets how much a node holds of some subjects of a shard. Counts are absolute, so that saying it again is harmless.
 *
 * Guarantee: a subject is added by whoever holds something of it first, and removed by whoever gives back the last of
 * it, or ends the lease that kept it; each once, whatever nodes do at the same time. Nothing happens when the lease of
 * the node has ended, or when the batch was recalled ('late').
 *
 * KEYS subjects, held by this node, its last batch. ARGV ms ahead, node, end of its lease, number of the batch, '1' for
 * the subjects; per operation subject, count (-1: end of a lease), payload, '1' to replace the payload of a known
 * subject, lease in ms, cause, most subjects, most of this subject over all nodes (-1: no limit).
 * Answer: 'late', or { serial and per operation its outcome, total and count; subjects; serial of them }.
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
    if subject_now.lease_until > now then return 'early', subject_now.lease_until - now, 0 end
    redis.call('HDEL', subjects, subject)
    redis.call('HDEL', held, subject)
    return 'removed', 0, 0
  end
  if own == '0' then redis.call('HDEL', held, subject) end
  return 'unchanged', subject_now and subject_now.total or 0, tonumber(own or '0')
end

local function give_back(subject, subject_now, others, lease_ms, cause)
  if not subject_now or others > 0 then
    redis.call('HDEL', held, subject)
    if subject_now then write(subject, others, subject_now.order, subject_now.payload) end
    return 'unchanged', others, 0
  end
  -- A lease keeps it already: whoever goes had nothing of it.
  if subject_now.total == 0 then return 'unchanged', 0, 0 end
  if lease_ms > 0 then
    write(subject, 0, subject_now.order, subject_now.payload, now + lease_ms, node, cause)
    redis.call('HSET', held, subject, '0')
    return 'leased', 0, 0
  end
  redis.call('HDEL', subjects, subject)
  redis.call('HDEL', held, subject)
  return 'removed', 0, 0
end

local outcomes = { whole(now_us) }
for at = 0, (#ARGV - 5) / 8 - 1 do
  local function field(n) return ARGV[5 + at * 8 + n] end
  local subject, count = field(1), tonumber(field(2))
  local most_subjects, most_total = tonumber(field(7)), tonumber(field(8))
  local subject_now, own = read(subject), redis.call('HGET', held, subject)
  local before = tonumber(own or '0') or 0
  local others = subject_now and math.max(0, subject_now.total - before) or 0
  local outcome, total
  if count < 0 then
    outcome, total, count = end_lease(subject, subject_now, own)
  elseif count == 0 then
    outcome, total, count = give_back(subject, subject_now, others, tonumber(field(5)), field(6))
  else
    if most_total >= 0 then count = math.max(before, math.min(count, most_total - others)) end
    if count == 0 then
      outcome, total = 'full', others
    elseif not subject_now and most_subjects >= 0 and redis.call('HLEN', subjects) >= most_subjects then
      outcome, total, count = 'full', others, 0
    else
      outcome, total = subject_now and 'unchanged' or 'added', others + count
      local order = subject_now and subject_now.order or whole(now_us) .. '.' .. string.format('%04d', at)
      local payload = subject_now and field(4) ~= '1' and subject_now.payload or field(3)
      write(subject, total, order, payload)
      redis.call('HSET', held, subject, whole(count))
    end
  end
  outcomes[#outcomes + 1] = outcome .. ':' .. whole(total) .. ':' .. whole(count)
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
