import { APPEND, NOW, RECORD, WAKE, WHOLE } from '../functions.js';
import { ENTER } from '../lines.js';
import { queueScript } from '../script.js';

/**
 * Makes dead letters ready again, oldest first, as if they had never been tried.
 *
 * Guarantee: each is moved once, however many ask for it at the same time. It enters its lines anew.
 *
 * Arguments: how many at most. Answer: how many.
 */
export const REPLAY_DEAD = queueScript({
  parts: [
    'wait',
    'attempts',
    'dlq',
    'failures',
    'lines',
    'places',
    'next-place',
    'blocked',
    'held',
    'notify',
    'events',
  ],
  settings: ['event_retention'],
  uses: [NOW, WHOLE, RECORD, APPEND, WAKE, ENTER],
  body: `
local ids = redis.call('ZRANGE', dlq, 0, tonumber(arg(1)) - 1)
local now = now_ms()
for _, id in ipairs(ids) do
  redis.call('HDEL', attempts, id)
  local kept = redis.call('HGET', places, id)
  local ahead = kept and enter(id, string.sub(kept, PLACE + 1)) or 0
  append(ahead > 0 and held or wait, id, now)
  redis.call('HDEL', failures, id)
  redis.call('ZREM', dlq, id)
  record('replayed', id)
end
wake(#ids)
return #ids`,
});
