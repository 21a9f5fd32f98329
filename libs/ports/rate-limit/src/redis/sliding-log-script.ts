import { redisScript } from '@carillon/redis';

/**
 * KEYS[1] sorted set of what was counted, scored by the server's time in ms; ARGV window in ms, limit, cost, name of
 * this check. Forgets what left the window; then counts the cost whole or not at all, in one step with the check. A
 * check whose name is there already was counted before and is allowed without counting again, so a check may be
 * repeated when its answer was lost. Answers 1 or 0 for allowed, and what the window holds now. The set is never
 * longer than the largest limit it was checked against, and expires with the window.
 */
export const CHECK = redisScript(`
local window, limit, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - window))
local counted = redis.call('ZCARD', KEYS[1])
if redis.call('ZSCORE', KEYS[1], ARGV[4] .. ':1') then return { 1, counted } end
if counted + cost > limit then return { 0, counted } end
if cost == 0 then return { 1, counted } end
local score = string.format('%.0f', now)
local chunk = {}
for unit = 1, cost do
  chunk[#chunk + 1] = score
  chunk[#chunk + 1] = ARGV[4] .. ':' .. unit
  if #chunk == 2000 or unit == cost then
    redis.call('ZADD', KEYS[1], unpack(chunk))
    chunk = {}
  end
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return { 1, counted + cost }
`);
