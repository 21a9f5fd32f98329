import { APPEND, NOW, RECORD, WAKE, WHOLE } from '../functions.js';
import { queueScript } from '../script.js';

/**
 * Makes dead letters ready again, oldest first, as if they had never been tried.
 *
 * Guarantee: each is moved once, however many ask for it at the same time.
 *
 * Arguments: how many at most. Answer: how many.
 */
export const REPLAY_DEAD = queueScript({
  parts: ['wait', 'attempts', 'dlq', 'failures', 'notify', 'events'],
  settings: ['event_retention'],
  uses: [NOW, WHOLE, RECORD, APPEND, WAKE],
  body: `
local ids = redis.call('ZRANGE', dlq, 0, tonumber(arg(1)) - 1)
local now = now_ms()
for _, id in ipairs(ids) do
  redis.call('HDEL', attempts, id)
  append(wait, id, now)
  redis.call('HDEL', failures, id)
  redis.call('ZREM', dlq, id)
  record('replayed', id)
end
wake(#ids)
return #ids`,
});
