import { clusterScript, NOW } from './common.js';

/**
 * Reads a shard, or some of its subjects.
 *
 * Guarantee: changes with a serial up to the answer's are in it, later ones are not.
 *
 * KEYS subjects. ARGV ms ahead, subjects; none: all of them. Answer: { serial, per subject its name and its record }.
 */
export const LOOK = clusterScript(
  NOW,
  `
local serial = whole(now_us)
if #ARGV == 1 then return { serial, redis.call('HGETALL', KEYS[1]) } end
local known = {}
for at = 2, #ARGV do
  local record = redis.call('HGET', KEYS[1], ARGV[at])
  if record then
    known[#known + 1] = ARGV[at]
    known[#known + 1] = record
  end
end
return { serial, known }`,
);
