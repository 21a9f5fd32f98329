import { APPEND, COUNT_OF, NOW, OWNS, TAKE_BACK, WHOLE } from '../functions.js';
import { queueScript } from '../script.js';

/**
 * Takes a job back for a while.
 *
 * Guarantee: only the delivery that holds the job defers it; from another one nothing changes. The next delivery has
 * the same attempt number.
 *
 * Arguments: id, token, delay in ms. Answer: 'deferred' or 'lost'.
 */
export const DEFER = queueScript({
  parts: ['wait', 'delayed', 'active', 'tokens', 'attempts'],
  settings: [],
  uses: [NOW, WHOLE, APPEND, COUNT_OF, TAKE_BACK, OWNS],
  body: `
local id, token, delay = arg(1), arg(2), tonumber(arg(3))
if not owns(id, token) then return 'lost' end
local now = now_ms()
if delay > 0 then
  redis.call('ZADD', delayed, whole(now + delay), id)
else
  append(wait, id, now)
end
redis.call('HSET', attempts, id, math.max(0, count_of(attempts, id, 1) - 1))
take_back(id)
return 'deferred'`,
});
