import {
  APPEND,
  BURY,
  COUNT_OF,
  FAIL,
  FORGET_DEAD,
  NOW,
  OWNS,
  RECORD,
  RETRY_DELAY,
  TAKE_BACK,
  WHOLE,
} from '../functions.js';
import { queueScript } from '../script.js';

/**
 * Ends a delivery that failed.
 *
 * Guarantee: only the delivery that holds the job fails it; from another one nothing changes. After its last attempt
 * the job is a dead letter, before that it is delayed.
 *
 * Arguments: id, token, reason, detail. Answer: 'retry', 'dead' or 'lost'.
 */
export const FAIL_DELIVERY = queueScript({
  parts: [
    'jobs',
    'delayed',
    'active',
    'begun',
    'tokens',
    'attempts',
    'max-attempts',
    'dlq',
    'failures',
    'dedup-keys',
    'events',
  ],
  settings: [
    'event_retention',
    'failed_retention',
    'max_attempts',
    'retry_base_delay_ms',
    'retry_max_delay_ms',
    'retry_jitter',
  ],
  uses: [NOW, WHOLE, RECORD, APPEND, COUNT_OF, TAKE_BACK, OWNS, FORGET_DEAD, BURY, RETRY_DELAY, FAIL],
  body: `
local id, token, reason, detail = arg(1), arg(2), arg(3), arg(4)
if not owns(id, token) then return 'lost' end
return fail(id, reason, detail, now_ms())`,
});
