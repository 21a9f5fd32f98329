import { FORGET_DEAD } from '../functions.js';
import { queueScript } from '../script.js';

/**
 * Forgets dead letters.
 *
 * Guarantee: an id that is no dead letter, or no longer, is left alone.
 *
 * Arguments: ids. Answer: how many were dead letters.
 */
export const REMOVE_DEAD = queueScript({
  parts: ['jobs', 'attempts', 'max-attempts', 'dlq', 'failures', 'dedup-keys'],
  settings: [],
  uses: [FORGET_DEAD],
  body: `
local removed = 0
for at = 1, #ARGV do
  local id = arg(at)
  if redis.call('ZSCORE', dlq, id) then
    forget_dead(id)
    removed = removed + 1
  end
end
return removed`,
});
